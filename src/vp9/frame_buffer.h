// Decoded frames and the memory they live in.
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

/// How many rows of a frame, from the top, will not change any more. Any thread may add to them and
/// wait for them.
class FinalRows {
 public:
  static constexpr int kAll = std::numeric_limits<int>::max();

  FinalRows() = default;  ///< kAll: of a frame that nobody works on
  FinalRows(const FinalRows& other) : rows_(other.rows_.load()) {}
  FinalRows& operator=(const FinalRows& other) {
    rows_ = other.rows_.load();
    return *this;
  }

  /// There are none; nobody waits yet.
  void start() { rows_ = 0; }
  /// So many are final, in rows of luma, with those of subsampled planes that they cover; fewer
  /// than there are already change nothing.
  void publish(int rows) {
    int before = rows_;
    while (before != kFailed && before < rows && !rows_.compare_exchange_weak(before, rows)) {
    }
    rows_.notify_all();
  }
  /// There will be no more, until start().
  void fail() {
    rows_ = kFailed;
    rows_.notify_all();
  }
  /// Waits for at least one row. False when they never will be final.
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

/// A frame in memory of whole superblocks, for blocks may reach beyond the frame.
struct FrameBuffer {
  video::Picture memory;  ///< of width and height rounded up to kSuperblock
  FrameSize size;         ///< of the frame itself
  FinalRows final_rows{};
  FrameSize render_size{};  ///< that it should be shown at
  ColorDescription color{};
  bool key_frame = false;

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

  /// One without a final row.
  [[nodiscard]] std::shared_ptr<FrameBuffer> acquire(const FrameSize& size,
                                                     const video::PixelFormat& pixel);
  /// Frame buffers made so far.
  [[nodiscard]] std::size_t allocations() const { return allocations_; }

 private:
  Allocator allocator_;
  SharedPool<FrameBuffer> buffers_;
  std::size_t allocations_ = 0;
};

}  // namespace sidecore::vp9
