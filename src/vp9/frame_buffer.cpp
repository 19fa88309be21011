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
  const auto is_free = [](const auto& buffer) { return buffer.use_count() == 1; };
  const auto found = std::ranges::find_if(buffers_, [&](const auto& buffer) {
    return is_free(buffer) && buffer->memory.format() == format;
  });
  if (found != buffers_.end()) {
    (*found)->size = size;
    (*found)->final_rows.start();
    return *found;
  }
  std::erase_if(buffers_, is_free);  // of a size that is no longer in use
  ++allocations_;
  buffers_.push_back(std::make_shared<FrameBuffer>(FrameBuffer{allocator_(format), size}));
  buffers_.back()->final_rows.start();
  return buffers_.back();
}

}  // namespace sidecore::vp9
