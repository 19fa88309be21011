// Decoded frames and the memory they live in.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "video/picture.h"
#include "vp9/frame_header.h"

namespace sidecore::vp9 {

/// A frame in memory of whole superblocks, for blocks may reach beyond the frame.
struct FrameBuffer {
  video::Picture memory;  ///< of width and height rounded up to kSuperblock
  FrameSize size;         ///< of the frame itself

  [[nodiscard]] video::PictureFormat format() const {
    return {size.width, size.height, memory.format().pixel};
  }
  /// The plane as the frame defines it, without what lies beyond.
  template <class Sample>
  [[nodiscard]] video::PlaneView<const Sample> visible(int plane) const {
    video::PlaneView<const Sample> view = memory.plane<Sample>(plane);
    view.width = format().plane_width(plane);
    view.height = format().plane_height(plane);
    return view;
  }
};

/// Hands out frame buffers and takes them back when the last reference is gone: after the first
/// few frames of a size there is no allocation.
class FramePool {
 public:
  /// Makes the memory of a picture; the heap's when not given.
  using Allocator = std::function<video::Picture(const video::PictureFormat&)>;
  explicit FramePool(Allocator allocator = {});

  [[nodiscard]] std::shared_ptr<FrameBuffer> acquire(const FrameSize& size,
                                                     const video::PixelFormat& pixel);
  /// Frame buffers made so far.
  [[nodiscard]] std::size_t allocations() const { return allocations_; }

 private:
  Allocator allocator_;
  std::vector<std::shared_ptr<FrameBuffer>> buffers_;
  std::size_t allocations_ = 0;
};

}  // namespace sidecore::vp9
