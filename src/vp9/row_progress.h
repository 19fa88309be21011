// Progress of threads that work on rows of superblocks, where each row waits for the row above.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

namespace sidecore::vp9 {

/// Number of completed superblocks of each row in a frame, counted from the left. Rows must begin
/// in order, so that a thread waits only for rows that have begun.
class RowProgress {
 public:
  /// Resets all rows to no completed superblock. Allocates only if there are more rows than ever
  /// before.
  void start(int rows, int columns) {
    const auto count = static_cast<std::size_t>(rows);
    if (count > size_) {
      rows_ = std::make_unique<Done[]>(count);
      size_ = count;
    }
    columns_ = columns;
    for (std::size_t row = 0; row < count; ++row) rows_[row].superblocks = 0;
  }

  /// Work of one thread on one row. A row fails if this object is destroyed before the last
  /// superblock, because of an exception or because the row above failed. Rows below do not wait
  /// for a failed row.
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

    /// Returns true if the row above has completed at least `more` superblocks more than this row,
    /// or all of its superblocks.
    [[nodiscard]] bool above_is_ahead(int more = 1) const {
      return above_ == nullptr || *above_ >= std::min(done_ + more, columns_);
    }
    /// Waits until above_is_ahead(more) is true. Returns false if the row above failed before.
    [[nodiscard]] bool wait_for_above(int more = 1) const {
      return above_ == nullptr || wait_until(*above_, std::min(done_ + more, columns_));
    }
    /// Records that the next `superblocks` superblocks are complete.
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

  /// Waits until the rows 0 to `end` - 1 are complete. Returns false if one of them failed.
  [[nodiscard]] bool wait_for_rows(int end) const {
    for (int row = 0; row < end; ++row) {
      if (!wait_until(rows_[static_cast<std::size_t>(row)].superblocks, columns_)) return false;
    }
    return true;
  }

 private:
  static constexpr int kFailed = -1;
  /// Progress of one row. It has its own cache line, because its row's thread writes it for every
  /// superblock.
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
