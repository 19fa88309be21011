// A picture that a surface holds: being decoded, or there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "qpu/device.h"
#include "va/dma_buf.h"
#include "vp9/frame_buffer.h"
#include "vp9/returned_frames.h"

namespace sidecore::va {

/// What pictures need of their stream when it is gone.
struct Home {
  std::unique_ptr<qpu::Device> device;  ///< null unless frames live in its memory
  vp9::ReturnedFrames returned;
};

/// One that EndPicture has taken. Surfaces, jobs and readers share it: a surface that gets another
/// picture meanwhile changes nothing for whoever reads this one.
class Picture {
 public:
  Picture(std::shared_ptr<Home> home, std::uint64_t number, const vp9::FrameSize& size,
          const video::PixelFormat& pixel)
      : home_(std::move(home)), number_(number), size_(size), pixel_(pixel) {}
  ~Picture() {
    if (frame_ != nullptr) home_->returned.give_back(std::move(frame_));
  }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  [[nodiscard]] bool is_of(const std::shared_ptr<Home>& home) const { return home_ == home; }
  /// Rises with the order in which a display's pictures were submitted.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const vp9::FrameSize& size() const { return size_; }
  [[nodiscard]] const video::PixelFormat& pixel() const { return pixel_; }

  // Of the stream's own thread: what it decodes to, perhaps still in work. Null before it is taken,
  // and for good where there is no memory for it.
  void set_frame(std::shared_ptr<const vp9::FrameBuffer> frame) { frame_ = std::move(frame); }
  [[nodiscard]] const std::shared_ptr<const vp9::FrameBuffer>& frame() const { return frame_; }

  /// Of the stream's own thread, before it is done: something was lost, and no key frame came
  /// since.
  void set_damaged(bool damaged) { damaged_ = damaged; }
  /// Waits until it is there.
  [[nodiscard]] bool is_damaged() const {
    static_cast<void>(wait());
    return damaged_;
  }

  /// Writes it to an image that others have imported: now, or before it is done.
  void export_to(std::shared_ptr<ExportedImage> image) {
    {
      const std::lock_guard lock(mutex_);
      exported_ = image;
      if (!done_) return;
    }
    image->write(number_, frame_.get());
  }

  /// It does not change any more.
  void finish() {
    {
      std::unique_lock lock(mutex_);
      for (std::shared_ptr<ExportedImage> written; exported_ != written;) {
        written = exported_;
        lock.unlock();
        written->write(number_, frame_.get());
        lock.lock();
      }
      done_ = true;
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool done() const {
    const std::lock_guard lock(mutex_);
    return done_;
  }
  /// Waits until it is there, and returns what it decoded to.
  const vp9::FrameBuffer* wait() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
    return frame_.get();
  }
  /// False when it takes longer.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds time) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return done_; });
  }

 private:
  std::shared_ptr<Home> home_;
  std::uint64_t number_;
  vp9::FrameSize size_;
  video::PixelFormat pixel_;
  std::shared_ptr<const vp9::FrameBuffer> frame_;  ///< a reader's once `done_`
  bool damaged_ = false;                           ///< likewise
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<ExportedImage> exported_;  ///< of its surface; may be null
  bool done_ = false;
};

}  // namespace sidecore::va
