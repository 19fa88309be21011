// Threads that share a piece of work: what a function that divides its work asks its caller for.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>

#include "base/clock.h"

namespace sidecore {

/// Divides work into pieces: rows, superblocks, tiles. ThreadPool is one, and gives one to each of
/// its tasks; CallingThread is the smallest. Used by one thread at a time.
class ThreadTeam {
 public:
  virtual ~ThreadTeam() = default;

  /// Threads are numbered below this. Never changes.
  [[nodiscard]] virtual std::size_t threads() const = 0;

  /// Calls task(piece), or task(piece, thread), for every piece below `pieces` and returns when all
  /// have returned. Pieces begin in ascending order, so that one may wait for what those below it
  /// do; no two calls at the same time have the same thread number. When a call throws, pieces not
  /// begun are left out and the exception of the lowest piece that threw is rethrown. Allocates
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

 protected:
  /// A task without its type.
  struct PieceTask {
    const void* self;
    void (*call)(const void* self, std::size_t piece, std::size_t thread);

    void operator()(std::size_t piece, std::size_t thread) const { call(self, piece, thread); }
  };

  virtual void run_pieces(std::size_t pieces, PieceTask task) = 0;
};

/// The calling thread alone: number 0.
class CallingThread final : public ThreadTeam {
 public:
  [[nodiscard]] std::size_t threads() const override { return 1; }

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override {
    for (std::size_t piece = 0; piece < pieces; ++piece) task(piece, 0);
  }
};

/// Calls task(thread) on each thread of a team that has nothing else to do, at the same time: all
/// threads have arrived before the first one starts. Returns the time from the first start to the
/// last end. Throws what the task threw.
Nanoseconds run_on_each(ThreadTeam& team, const std::function<void(std::size_t thread)>& task);

}  // namespace sidecore
