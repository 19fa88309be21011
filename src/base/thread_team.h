// Threads that share work; a function that divides its work takes a ThreadTeam from its caller.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>

#include "base/clock.h"

namespace sidecore {

/// Rows [first, last) of a plane; none if `last` is not above `first`.
struct RowRange {
  int first = 0;
  int last = 0;
};

/// Divides work into pieces such as rows, superblocks or tiles. ThreadPool is a team and gives one
/// to each of its tasks; CallingThread is a team of one. Only one thread at a time may use a team.
class ThreadTeam {
 public:
  virtual ~ThreadTeam() = default;

  /// Returns the number of threads, which are numbered from 0. It never changes.
  [[nodiscard]] virtual std::size_t threads() const = 0;

  /// Calls task(piece), or task(piece, thread), for every piece below `pieces` and returns when all
  /// calls have returned. Pieces begin in ascending order, so that a piece may wait for lower ones.
  /// Two simultaneous calls never have the same thread number. If a call throws, pieces that have
  /// not begun are dropped and the exception of the lowest piece that threw is rethrown. Allocates
  /// nothing.
  template <class Task>
  void run(std::size_t pieces, const Task& task) {
    run_pieces(pieces, {&task, [](const void* self, std::size_t piece, std::size_t thread) {
                          const Task& call = *static_cast<const Task*>(self);
                          if constexpr (std::invocable<const Task&, std::size_t, std::size_t>) {
                            call(piece, thread);
                          } else {
                            call(piece);
                          }
                        }});
  }

  /// Calls task(piece of rows, thread) for pieces of `rows_per_piece` rows, which cover `rows`; the
  /// last piece may have fewer rows.
  template <class Task>
  void run_row_pieces(const RowRange& rows, int rows_per_piece, const Task& task) {
    const int pieces = (std::max(rows.last - rows.first, 0) + rows_per_piece - 1) / rows_per_piece;
    run(static_cast<std::size_t>(pieces), [&](std::size_t piece, std::size_t thread) {
      const int first = rows.first + static_cast<int>(piece) * rows_per_piece;
      task(RowRange{first, std::min(first + rows_per_piece, rows.last)}, thread);
    });
  }
  /// Calls task(row, thread) for every row. A thread takes `rows_per_piece` rows at a time.
  template <class Task>
  void run_rows(const RowRange& rows, int rows_per_piece, const Task& task) {
    run_row_pieces(rows, rows_per_piece, [&](const RowRange& piece, std::size_t thread) {
      for (int y = piece.first; y < piece.last; ++y) task(y, thread);
    });
  }

 protected:
  /// Task whose type is erased.
  struct PieceTask {
    const void* self;
    void (*call)(const void* self, std::size_t piece, std::size_t thread);

    void operator()(std::size_t piece, std::size_t thread) const { call(self, piece, thread); }
  };

  virtual void run_pieces(std::size_t pieces, PieceTask task) = 0;
};

/// A team that consists of the calling thread alone, with number 0.
class CallingThread final : public ThreadTeam {
 public:
  [[nodiscard]] std::size_t threads() const override { return 1; }

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override {
    for (std::size_t piece = 0; piece < pieces; ++piece) task(piece, 0);
  }
};

/// Calls task(thread) on every thread of an idle team at the same time: all threads arrive before
/// the first call starts. Returns the time from the first start to the last end. Throws what the
/// task threw.
Nanoseconds run_on_each(ThreadTeam& team, const std::function<void(std::size_t thread)>& task);

}  // namespace sidecore
