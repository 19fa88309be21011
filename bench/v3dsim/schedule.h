// Schedule of a dispatch's threads on the QPUs and memory units, computed from their traces. Part
// of the timing MODEL; model.h turns it into an interval of seconds.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "v3dsim/machine.h"
#include "v3dsim/trace.h"

namespace sidecore::v3dsim {

/// Constants in cycles of the GPU's clock. scripts/v3dsim-calibration checks the fitted ones.
/// model_constants() converts the memory's constants from seconds, because memory has its own
/// clock.
struct ScheduleConstants {
  /// Cycles per instruction; known, because 16 lanes run on 4 physical ones.
  double instruction = 4.0;
  double request = 8.0;  ///< cycles per request at a memory unit; fitted
  double word = 5.0;  ///< cycles per word that a lane moves, independent of the word's size; fitted
  double line = 5.0;  ///< cycles per 64-byte line moved in or out of memory
  double latency = 150.0;  ///< cycles from the memory to the thread's FIFO
  /// Cycles from a supergroup's end until the next one's threads run; fitted.
  double start = 200.0;
  double queue = 16.0;  ///< number of requests waiting at a memory unit before a QPU stalls; chosen
  /// Number of lines waiting at the memory before a unit stalls; chosen.
  double memory_queue = 48.0;
  /// Number of supergroups that run at once; fitted: 1 agrees with published times better than 2.
  /// The cause may be that the driver leaves the job's maximum supergroup id at 0. One supergroup
  /// at a time explains why workgroups of 64 take twice as long as those of 256.
  unsigned supergroups = 1;
};

/// Schedules traces on the machine, supergroup after supergroup.
class Schedule final : public TraceSink {
 public:
  Schedule(const Machine& machine, const ScheduleConstants& constants, unsigned threads_per_qpu);

  void supergroup(std::span<Trace> threads) override;
  /// Runs all threads to their end. Returns the cycles from the first launch to the last thread's
  /// end.
  [[nodiscard]] double finish();
  /// Functions that return busy cycles: of issuing instructions (mean per QPU), of the memory units
  /// (mean per unit), and of the memory that moves lines.
  [[nodiscard]] double issue_cycles() const { return issued_ / static_cast<double>(qpus_.size()); }
  [[nodiscard]] double unit_cycles() const { return served_ / static_cast<double>(units_.size()); }
  [[nodiscard]] double memory_cycles() const { return constants_.line * moved_; }

 private:
  static constexpr double kNever = 1e300;
  struct Running {  ///< thread that is running in its slot
    Trace trace;
    std::size_t next = 0;
    double ready = 0.0;    ///< time at which the thread may continue after a switch
    double drained = 0.0;  ///< time at which the thread's last store is done
    std::array<double, 8> words{};
    unsigned first_word = 0, word_count = 0;
    std::size_t group = 0;
    bool live = false, at_barrier = false;
  };
  struct Group {  ///< supergroup in flight
    unsigned live = 0, waiting = 0;
  };
  struct Qpu {
    std::vector<Running> slots;
    std::size_t current = 0;
    unsigned live = 0;
    double free_at = 0.0;  ///< time at which it can issue again
    double next = kNever;  ///< time of its next event
  };
  struct Unit {
    double free_at = 0.0;
    std::deque<double> begins;  ///< start times of the waiting requests
  };

  void place(double now);
  void step();
  void run_event(std::size_t qpu, double now);
  double request(std::size_t qpu, Running& thread, const TraceEvent& event, double now);
  void leave(std::size_t qpu, double now);
  void choose(Qpu& qpu, double now);
  void release(std::size_t group, Qpu& last, double now);

  ScheduleConstants constants_;
  /// QPUs in the order in which they receive threads, which alternates between slices: QPU i
  /// belongs to unit i modulo the number of units.
  std::vector<Qpu> qpus_;
  std::vector<Unit> units_;
  std::vector<Group> groups_;
  std::deque<std::vector<Trace>> waiting_;
  std::size_t placed_of_first_ = 0;  ///< number of threads of waiting_.front() that have a slot
  std::size_t group_of_first_ = 0;
  double start_of_first_ = 0.0;
  double memory_free_at_ = 0.0;
  double now_ = 0.0, issued_ = 0.0, served_ = 0.0, moved_ = 0.0;
  unsigned in_flight_ = 0;
  std::size_t live_ = 0;
};

}  // namespace sidecore::v3dsim
