// Where the planes of a picture lie in a buffer.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::qpu {

/// The planes of a picture in one buffer, in bytes. Both chroma planes have one stride. A plane
/// that only the CPU works on has no rows.
struct PicturePlanes {
  struct Plane {
    std::size_t offset = 0;
    std::size_t stride = 0;
    std::size_t rows = 0;
  };
  std::array<Plane, 3> planes;

  /// Of planes and their rows where shaders load vectors of four words.
  static constexpr std::size_t kVectorAlignment = 16;

  /// Those of a picture whose memory is the buffer's.
  [[nodiscard]] static PicturePlanes of(const video::PictureFormat& format);

  /// Throws Error (usage) unless offsets and strides are multiples of `alignment`, all planes lie
  /// within a buffer of `bytes`, and both chroma planes have one stride.
  void check(std::size_t bytes, std::size_t alignment) const;

  /// The same planes for the CPU; the buffer's memory is `memory`.
  template <class Sample>
  [[nodiscard]] vp9::LoopFilterPlanes<Sample> in(std::span<std::byte> memory) const {
    vp9::LoopFilterPlanes<Sample> host;
    for (std::size_t index = 0; index < planes.size(); ++index) {
      const auto bytes =
          memory.subspan(planes[index].offset, planes[index].stride * planes[index].rows);
      host[index] = {{reinterpret_cast<Sample*>(bytes.data()), bytes.size() / sizeof(Sample)},
                     planes[index].stride / sizeof(Sample)};
    }
    return host;
  }
};

}  // namespace sidecore::qpu
