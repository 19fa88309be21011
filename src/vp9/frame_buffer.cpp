#include "vp9/frame_buffer.h"

#include <algorithm>
#include <utility>

namespace sidecore::vp9 {
namespace {

int whole_superblocks(int samples) {
  return (samples + kSuperblock - 1) / kSuperblock * kSuperblock;
}

}  // namespace

FramePool::FramePool(Allocator allocator) : allocator_(std::move(allocator)) {
  if (!allocator_) {
    allocator_ = [](const video::PictureFormat& format) { return video::Picture(format); };
  }
}

std::shared_ptr<FrameBuffer> FramePool::acquire(const FrameSize& size,
                                                const video::PixelFormat& pixel) {
  const video::PictureFormat format{whole_superblocks(size.width), whole_superblocks(size.height),
                                    pixel};
  std::shared_ptr<FrameBuffer> frame = buffers_.find_free(
      [&](const FrameBuffer& buffer) { return buffer.memory.format() == format; });
  if (frame != nullptr) {
    frame->size = size;
  } else {
    // No free buffer has the new format. Drops the free ones, because their format is no longer in
    // use.
    buffers_.drop_free([](const FrameBuffer& /*buffer*/) { return true; });
    ++allocations_;
    frame = buffers_.add(std::make_shared<FrameBuffer>(FrameBuffer{allocator_(format), size}));
  }
  frame->final_rows.start();
  return frame;
}

}  // namespace sidecore::vp9
