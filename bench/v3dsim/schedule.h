// When the threads of a dispatch run: a schedule of the QPUs and their memory units, made from what
// the threads did. Part of the timing MODEL; model.h turns it into an interval of seconds.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "v3dsim/machine.h"
#include "v3dsim/trace.h"

namespace sidecore::v3dsim {

/// In cycles of the GPU's clock. Fitted ones by scripts/v3dsim-calibration, which holds them to
/// these values; model_constants() turns those of the memory, which has a clock of its own, from
/// seconds into cycles.
struct ScheduleConstants {
  double instruction = 4.0;  ///< known: 16 lanes on 4 physical ones
  double request = 8.0;      ///< fitted: of a memory unit, for each request
  double word = 5.0;         ///< fitted: and for each word a lane, whatever its bytes
  double line = 5.0;         ///< of the memory behind the units, for each line moved, in or out
  double latency = 150.0;    ///< from there to the thread's FIFO
  double start = 200.0;  ///< fitted: from the end of a supergroup until the next one's threads run
  double queue = 16.0;   ///< chosen: requests that wait at a memory unit before a QPU stalls
  double memory_queue = 48.0;  ///< chosen: lines that wait at the memory before a unit stalls
  /// Fitted, 1 rather than 2: supergroups that run at once. The driver leaves the job's greatest
  /// supergroup id at 0; that one at a time runs explains why workgroups of 64 take twice as long
  /// as those of 256.
  unsigned supergroups = 1;
};

/// Runs traces through the machine, supergroup after supergroup.
class Schedule final : public TraceSink {
 public:
  Schedule(const Machine& machine, const ScheduleConstants& constants, unsigned threads_per_qpu);

  void supergroup(std::span<Trace> threads) override;
  /// Ends what still runs; cycles from the first launch to the last thread's end.
  [[nodiscard]] double finish();
  /// Cycles that a QPU issued instructions, that a memory unit worked (both in the mean), and that
  /// the memory behind the units moved lines.
  [[nodiscard]] double issue_cycles() const { return issued_ / static_cast<double>(qpus_.size()); }
  [[nodiscard]] double unit_cycles() const { return served_ / static_cast<double>(units_.size()); }
  [[nodiscard]] double memory_cycles() const { return constants_.line * moved_; }

 private:
  static constexpr double kNever = 1e300;
  struct Running {  ///< a thread in its slot
    Trace trace;
    std::size_t next = 0;
    double ready = 0.0;    ///< when it may go on after a switch
    double drained = 0.0;  ///< when its last store is done
    std::array<double, 8> words{};
    unsigned first_word = 0, word_count = 0;
    std::size_t group = 0;
    bool live = false, at_barrier = false;
  };
  struct Group {  ///< a supergroup in flight
    unsigned live = 0, waiting = 0;
  };
  struct Qpu {
    std::vector<Running> slots;
    std::size_t current = 0;
    unsigned live = 0;
    double free_at = 0.0;  ///< when it can issue again
    double next = kNever;  ///< when its next event happens
  };
  struct Unit {
    double free_at = 0.0;
    std::deque<double> begins;  ///< of the requests that wait
  };

  void place(double now);
  void step();
  void happen(std::size_t qpu, double now);
  double request(std::size_t qpu, Running& thread, const TraceEvent& event, double now);
  void leave(std::size_t qpu, double now);
  void choose(Qpu& qpu, double now);
  void release(std::size_t group, Qpu& last, double now);

  ScheduleConstants constants_;
  /// In the order in which they are given threads, which is the slices' in turn: QPU i belongs to
  /// unit i modulo their number.
  std::vector<Qpu> qpus_;
  std::vector<Unit> units_;
  std::vector<Group> groups_;
  std::deque<std::vector<Trace>> waiting_;
  std::size_t placed_of_first_ = 0;  ///< threads of waiting_.front() that have a slot
  std::size_t group_of_first_ = 0;
  double start_of_first_ = 0.0;
  double memory_free_at_ = 0.0;
  double now_ = 0.0, issued_ = 0.0, served_ = 0.0, moved_ = 0.0;
  unsigned in_flight_ = 0;
  std::size_t live_ = 0;
};

}  // namespace sidecore::v3dsim
