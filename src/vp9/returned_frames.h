// Returns frames from readers on other threads to a decoder's pool.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "vp9/frame_buffer.h"

namespace sidecore::vp9 {

/// Holds frames that readers have released until the decoder's thread frees them. The decoder's
/// pool may reuse a frame only if it was freed on the decoder's thread, because this orders the
/// reuse after all reads.
class ReturnedFrames {
 public:
  /// Takes a released frame, on any thread.
  void give_back(std::shared_ptr<const FrameBuffer> frame) noexcept {
    const std::lock_guard lock(mutex_);
    if (!open_) return;
    try {
      returned_.push_back(std::move(frame));
      // Memory is short, so the frame is freed on this thread, without ordering its reuse after all
      // reads.
    } catch (const std::bad_alloc&) {
    }
  }
  /// Frees the taken frames. Called on the decoder's thread before it decodes.
  void reclaim() {
    std::vector<std::shared_ptr<const FrameBuffer>> returned;
    const std::lock_guard lock(mutex_);
    returned.swap(returned_);
  }
  /// Frees all frames and takes no more. Called when the decoder is destroyed.
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
