// Location of a picture's planes in a buffer.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::qpu {

/// Planes of a picture in one buffer, in bytes. Both chroma planes have the same stride. A plane
/// that only the CPU processes has 0 rows.
struct PicturePlanes {
  struct Plane {
    std::size_t offset = 0;
    std::size_t stride = 0;
    std::size_t rows = 0;
  };
  std::array<Plane, 3> planes;

  /// Alignment of planes and their rows in bytes where shaders load vectors of four words.
  static constexpr std::size_t kVectorAlignment = 16;

  /// Returns the planes of a picture at the start of a buffer.
  [[nodiscard]] static PicturePlanes of(const video::PictureFormat& format);

  /// Throws Error (usage) unless all of these hold:
  /// - offsets and strides are multiples of `alignment`;
  /// - all planes are within a buffer of `bytes`;
  /// - both chroma planes have the same stride.
  void check(std::size_t bytes, std::size_t alignment) const;

  /// Returns the planes as the CPU accesses them; `memory` is the buffer's memory.
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
