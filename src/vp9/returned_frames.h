// Frames on their way back to a decoder's pool, from readers on other threads.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "vp9/frame_buffer.h"

namespace sidecore::vp9 {

/// The decoder's pool may only find a frame to be free on the decoder's thread: there it is ordered
/// after what others have read of it.
class ReturnedFrames {
 public:
  /// Of any thread that lets a frame go.
  void give_back(std::shared_ptr<const FrameBuffer> frame) noexcept {
    const std::lock_guard lock(mutex_);
    if (!open_) return;
    try {
      returned_.push_back(std::move(frame));
    } catch (const std::bad_alloc&) {  // then it is given back without the order
    }
  }
  /// On the decoder's thread, before it decodes.
  void reclaim() {
    std::vector<std::shared_ptr<const FrameBuffer>> returned;
    const std::lock_guard lock(mutex_);
    returned.swap(returned_);
  }
  /// There is no decoder any more.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      open_ = false;
    }
    reclaim();
  }

 private:
  std::mutex mutex_;
  bool open_ = true;
  std::vector<std::shared_ptr<const FrameBuffer>> returned_;
};

}  // namespace sidecore::vp9
