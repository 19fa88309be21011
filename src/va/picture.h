// A picture that a surface holds: queued, being decoded, or done.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "qpu/vp9/back_end.h"
#include "va/dma_buf.h"
#include "vp9/frame_buffer.h"

namespace sidecore::va {

/// A picture that EndPicture has accepted. Surfaces, jobs and readers share it, so that a reader
/// keeps this picture even if its surface gets another one.
class Picture {
 public:
  Picture(std::shared_ptr<qpu::SharedPictureResources> home, std::uint64_t number,
          const vp9::FrameSize& size, const video::PixelFormat& pixel)
      : resources_(std::move(home)), number_(number), size_(size), pixel_(pixel) {}
  ~Picture() {
    if (frame_ != nullptr) resources_->returned.give_back(std::move(frame_));
  }
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;

  [[nodiscard]] bool is_of(const std::shared_ptr<qpu::SharedPictureResources>& home) const {
    return resources_ == home;
  }
  /// Returns a number that rises in the order in which the display's pictures were submitted.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const vp9::FrameSize& size() const { return size_; }
  [[nodiscard]] const video::PixelFormat& pixel() const { return pixel_; }

  // Sets or returns the frame. Only the stream's thread calls these two functions. The frame may
  // not be complete yet. It is null until the decoder takes the picture, and stays null if there is
  // no memory for it.
  void set_frame(std::shared_ptr<const vp9::FrameBuffer> frame) { frame_ = std::move(frame); }
  [[nodiscard]] const std::shared_ptr<const vp9::FrameBuffer>& frame() const { return frame_; }

  /// Sets the damaged flag: true if a picture was lost and no key frame has followed. Only the
  /// stream's thread may call it, before finish().
  void set_damaged(bool damaged) { damaged_ = damaged; }
  /// Returns true if the picture is damaged. Waits until the picture is done.
  [[nodiscard]] bool is_damaged() const {
    static_cast<void>(wait());
    return damaged_;
  }

  /// Writes the picture to an exported image: at once if the picture is done, otherwise before it
  /// is marked as done.
  void export_to(std::shared_ptr<ExportedImage> image) {
    {
      const std::lock_guard lock(mutex_);
      exported_ = image;
      if (!done_) return;
    }
    image->write(number_, frame_.get());
  }

  /// Marks the picture as done, after writing it to its exported image.
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
  /// Waits until the picture is done. Returns its frame; null if it has none.
  const vp9::FrameBuffer* wait() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return done_; });
    return frame_.get();
  }
  /// Waits at most `time`. Returns true if the picture is done.
  [[nodiscard]] bool wait_for(std::chrono::nanoseconds time) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return done_; });
  }

 private:
  std::shared_ptr<qpu::SharedPictureResources> resources_;
  std::uint64_t number_;
  vp9::FrameSize size_;
  video::PixelFormat pixel_;
  /// Frame; readers may use it once `done_` is set.
  std::shared_ptr<const vp9::FrameBuffer> frame_;
  bool damaged_ = false;  ///< damaged flag; readers may use it once `done_` is set
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::shared_ptr<ExportedImage> exported_;  ///< exported image of the surface; may be null
  bool done_ = false;
};

}  // namespace sidecore::va
