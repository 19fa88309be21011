// Finds accesses of one dispatch that nothing orders.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "v3dsim/job.h"

namespace sidecore::v3dsim {

/// Remembers, per byte, the last writer and up to two readers (36 bytes of host memory for every
/// byte touched). What it reports is a race by the rule below; with more than two readers of a byte
/// it may miss one. Ordered are: an invocation with itself; two of the same workgroup with a
/// barrier between them; two workgroups that used the same slot of shared memory, or two threads
/// that used the same TIDX, one after the other, because the hardware reuses those only when the
/// former has ended; with `lanes_are_ordered`, the invocations of one thread, but for what was
/// written before the thread waited for its stores. Two atomics never race.
class RaceChecker {
 public:
  /// `memory_slots` as in SlotPlan. Throws Fault (bad_job) beyond 2^32 - 2 invocations.
  RaceChecker(const JobShape& shape, std::uint32_t memory_slots, bool lanes_are_ordered);
  ~RaceChecker();
  RaceChecker(const RaceChecker&) = delete;
  RaceChecker& operator=(const RaceChecker&) = delete;

  enum class Access : std::uint8_t { read, write, atomic };
  /// What an invocation has behind it.
  struct Progress {
    std::uint32_t barriers = 0;  ///< that its supergroup has passed
    std::uint32_t drains = 0;    ///< how often its thread has waited for its stores
  };

  /// A thread, by its index in the dispatch, begins under this TIDX.
  void start_thread(std::uint32_t thread, std::uint32_t tidx);
  /// Throws Fault (race) naming both invocations.
  void touch(std::uint32_t invocation, const Progress& progress, std::uint32_t address,
             std::uint32_t bytes, Access access);

 private:
  struct Past;
  struct Byte;
  struct Page;
  [[nodiscard]] std::uint32_t thread_of(std::uint32_t invocation) const;
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t workgroup) const;
  [[nodiscard]] bool ordered(const Past& before, bool was_write, const Past& now) const;
  void touch_byte(Byte& byte, const Past& now, std::uint32_t address, Access access) const;
  void check(const Past& before, bool was_write, const Past& now, std::uint32_t address,
             Access access) const;

  JobShape shape_;
  std::uint32_t memory_slots_;
  bool lanes_are_ordered_;
  std::vector<std::uint8_t> tidx_;  ///< by thread
  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
};

}  // namespace sidecore::v3dsim
