// A picture in the memory block of a workload.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "kernels/guarded_block.h"
#include "qpu/buffer.h"
#include "video/picture.h"

namespace sidecore::bench {

/// Region of a GuardedBlock that holds a picture in the layout video::PictureLayout. The block's
/// memory may have any alignment that suits samples.
class PictureRegion {
 public:
  /// Position of a sample.
  struct Place {
    std::size_t plane, x, y;
  };

  /// Adds the region to `block`.
  PictureRegion(GuardedBlock& block, std::string name, const video::PictureFormat& format);

  [[nodiscard]] const video::PictureFormat& format() const { return format_; }
  /// Copies a picture of the region's format into the block's memory.
  void write(std::span<std::byte> memory, const video::Picture& picture) const;
  /// Returns a plane of the picture in the block's memory.
  template <class Sample>
  [[nodiscard]] video::PlaneView<Sample> plane(std::span<std::byte> memory, int index) const {
    const video::PictureLayout::Plane& plane = layout_.planes[static_cast<std::size_t>(index)];
    std::byte* const samples = memory.data() + region_.offset + plane.offset;
    return {reinterpret_cast<Sample*>(samples), format_.plane_width(index),
            format_.plane_height(index),
            static_cast<std::ptrdiff_t>(plane.stride / sizeof(Sample))};
  }
  /// Returns the region's range in a device buffer that holds the block.
  [[nodiscard]] qpu::BufferRange range(qpu::Buffer& memory) const {
    return {.buffer = &memory, .offset = region_.offset, .size = region_.bytes};
  }
  /// Returns the sample at a byte of the block; nothing for padding and for bytes outside the
  /// region.
  [[nodiscard]] std::optional<Place> place_of(std::size_t byte) const;

 private:
  video::PictureFormat format_;
  video::PictureLayout layout_;
  GuardedBlock::Region region_;
};

/// Returns "Cb, x 3, y 8".
[[nodiscard]] std::string to_string(const PictureRegion::Place& place);

/// Returns a copy of a picture whose width and height are rounded up to multiples of `side`: the
/// last column and the last row are repeated.
[[nodiscard]] video::Picture copy_rounded_up(const video::Picture& picture, int side);

}  // namespace sidecore::bench
