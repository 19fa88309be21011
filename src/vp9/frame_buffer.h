// Decoded frames and their memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/shared_pool.h"
#include "video/picture.h"
#include "vp9/frame_header.h"

namespace sidecore::vp9 {

/// Number of rows of a frame, from the top, that will not change any more. Any thread may raise the
/// number and wait for it.
class FinalRows {
 public:
  static constexpr int kAll = std::numeric_limits<int>::max();

  FinalRows() = default;  ///< kAll: no task works on the frame
  FinalRows(const FinalRows& other) : rows_(other.rows_.load()) {}
  FinalRows& operator=(const FinalRows& other) {
    rows_ = other.rows_.load();
    return *this;
  }

  /// Sets the number of final rows to 0. No thread may be waiting yet.
  void start() { rows_ = 0; }
  /// Raises the number of final rows to `rows`, counted in luma rows; the matching rows of
  /// subsampled planes are final too. A smaller number has no effect.
  void publish(int rows) {
    int before = rows_;
    while (before != kFailed && before < rows && !rows_.compare_exchange_weak(before, rows)) {
    }
    rows_.notify_all();
  }
  /// Marks the frame as failed: no more rows become final until start().
  void fail() {
    rows_ = kFailed;
    rows_.notify_all();
  }
  /// Waits until at least `rows` rows are final. Returns false if the frame failed before.
  [[nodiscard]] bool wait_for(int rows) const {
    for (int final = rows_; final < rows; final = rows_) {
      if (final == kFailed) return false;
      rows_.wait(final);
    }
    return true;
  }
  [[nodiscard]] bool all() const { return rows_ == kAll; }

 private:
  static constexpr int kFailed = -1;

  std::atomic<int> rows_ = kAll;
};

/// A frame. Its memory consists of whole superblocks, because blocks may extend beyond the frame.
struct FrameBuffer {
  video::Picture memory;  ///< size: that of the frame, rounded up to multiples of kSuperblock
  FrameSize size;         ///< size of the frame itself
  FinalRows final_rows{};
  FrameSize render_size{};  ///< size at which the frame should be shown
  ColorDescription color{};
  bool key_frame = false;

  [[nodiscard]] video::PictureFormat format() const {
    return {size.width, size.height, memory.format().pixel};
  }
  /// Returns the visible samples of a plane, without the memory beyond the frame's borders.
  template <class Sample>
  [[nodiscard]] video::PlaneView<const Sample> visible(int plane) const {
    video::PlaneView<const Sample> view = memory.plane<Sample>(plane);
    view.width = format().plane_width(plane);
    view.height = format().plane_height(plane);
    return view;
  }
};

/// Provides frame buffers and reuses them after their last reference is gone. It allocates no
/// memory after the first few frames of one size.
class FramePool {
 public:
  /// Allocates the memory of a picture. If no allocator is given, the pool uses the heap.
  using Allocator = std::function<video::Picture(const video::PictureFormat&)>;
  explicit FramePool(Allocator allocator = {});

  /// Returns a frame buffer of which no row is final.
  [[nodiscard]] std::shared_ptr<FrameBuffer> acquire(const FrameSize& size,
                                                     const video::PixelFormat& pixel);
  /// Returns the number of frame buffers that were allocated so far.
  [[nodiscard]] std::size_t allocations() const { return allocations_; }

 private:
  Allocator allocator_;
  SharedPool<FrameBuffer> buffers_;
  std::size_t allocations_ = 0;
};

}  // namespace sidecore::vp9
