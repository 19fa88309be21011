// Threads that share the work on one pair of pictures.
#pragma once

#include <cstddef>

namespace sidecore::metrics {

/// Splits work into pieces, rows or bands of them, that any thread may run in any order.
class RowTeam {
 public:
  virtual ~RowTeam() = default;

  /// Threads are numbered below this. Never changes.
  [[nodiscard]] virtual std::size_t threads() const = 0;

  /// Calls task(piece, thread) for every piece below `pieces` and returns when all have returned;
  /// no two calls at the same time have the same thread number. Results must depend on neither
  /// order nor thread: what is added up goes to a place of its piece, or is added without rounding.
  /// When a call throws, pieces not begun are left out and one of the exceptions is rethrown.
  template <class Task>
  void run(std::size_t pieces, const Task& task) {
    run_pieces(pieces, {&task, [](const void* self, std::size_t piece, std::size_t thread) {
                          (*static_cast<const Task*>(self))(piece, thread);
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

/// The calling thread alone: number 0, pieces in order.
class CallingThread final : public RowTeam {
 public:
  [[nodiscard]] std::size_t threads() const override { return 1; }

 protected:
  void run_pieces(std::size_t pieces, PieceTask task) override {
    for (std::size_t piece = 0; piece < pieces; ++piece) task(piece, 0);
  }
};

}  // namespace sidecore::metrics
