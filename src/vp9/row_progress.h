// How far rows of superblocks are that several threads work on, each row as far behind the one
// above it as it needs to be.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

namespace sidecore::vp9 {

/// For each row of a frame, how many of its superblocks are done, from the left. Rows begin in
/// order, so that whoever waits for the one above waits for something that has begun.
class RowProgress {
 public:
  /// Nothing is done yet. Allocates only for more rows than ever before.
  void start(int rows, int columns) {
    const auto count = static_cast<std::size_t>(rows);
    if (count > size_) {
      rows_ = std::make_unique<Done[]>(count);
      size_ = count;
    }
    columns_ = columns;
    for (std::size_t row = 0; row < count; ++row) rows_[row].superblocks = 0;
  }

  /// A thread's work on a row. A row that is left before its last superblock, by an exception or
  /// because the row above was, has failed: then no row below waits for it any longer.
  class Row {
   public:
    Row(RowProgress& progress, std::size_t row)
        : columns_(progress.columns_),
          done_(progress.rows_[row].superblocks),
          above_(row > 0 ? &progress.rows_[row - 1].superblocks : nullptr) {}
    ~Row() {
      if (done_ < columns_) publish(kFailed);
    }
    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;

    /// Whether the row above has done as many superblocks as this one and `more` of them, or all of
    /// its own.
    [[nodiscard]] bool above_is_ahead(int more = 1) const {
      return above_ == nullptr || *above_ >= std::min(done_ + more, columns_);
    }
    /// Waits until it has. False when it never will.
    [[nodiscard]] bool wait_for_above(int more = 1) const {
      return above_ == nullptr || wait_until(*above_, std::min(done_ + more, columns_));
    }
    /// The next superblocks are done.
    void advance(int superblocks = 1) { publish(done_ + superblocks); }
    [[nodiscard]] int done() const { return done_; }

   private:
    void publish(int done) {
      done_ = done;
      done_.notify_all();
    }

    int columns_;
    std::atomic<int>& done_;
    const std::atomic<int>* above_;
  };

  /// Waits until all rows above `end` are done. False when they never will be.
  [[nodiscard]] bool wait_for_rows(int end) const {
    for (int row = 0; row < end; ++row) {
      if (!wait_until(rows_[static_cast<std::size_t>(row)].superblocks, columns_)) return false;
    }
    return true;
  }

 private:
  static constexpr int kFailed = -1;
  /// A cache line of its own: its row's thread writes it at every superblock.
  struct alignas(64) Done {
    std::atomic<int> superblocks = 0;
  };

  static bool wait_until(const std::atomic<int>& row, int superblocks) {
    for (int done = row; done < superblocks; done = row) {
      if (done == kFailed) return false;
      row.wait(done);
    }
    return true;
  }

  int columns_ = 0;
  std::unique_ptr<Done[]> rows_;
  std::size_t size_ = 0;
};

}  // namespace sidecore::vp9
