// Finds unordered accesses within one dispatch.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "v3dsim/job.h"

namespace sidecore::v3dsim {

/// Remembers the last writer and up to two readers of each byte (36 bytes of host memory per
/// accessed byte). Each reported race violates the rules below; with more than two readers of a
/// byte, a race may be missed. Two atomics never race. These accesses are ordered:
/// - accesses of one invocation;
/// - accesses of two invocations of one workgroup with a barrier between them;
/// - accesses of two workgroups that used the same shared-memory slot, or of two threads that used
///   the same TIDX (the hardware reuses these only after the earlier user has ended);
/// - with `lanes_are_ordered`, accesses of the invocations of one thread, except to bytes written
///   before the thread waited for its stores.
class RaceChecker {
 public:
  /// Creates the checker. `memory_slots` is SlotPlan::memory_slots. Throws Fault (bad_job) for more
  /// than 2^32 - 2 invocations.
  RaceChecker(const JobShape& shape, std::uint32_t memory_slots, bool lanes_are_ordered);
  ~RaceChecker();
  RaceChecker(const RaceChecker&) = delete;
  RaceChecker& operator=(const RaceChecker&) = delete;

  enum class Access : std::uint8_t { read, write, atomic };
  /// Synchronisation that an invocation has passed.
  struct Progress {
    std::uint32_t barriers = 0;  ///< number of barriers that its supergroup has passed
    std::uint32_t drains = 0;    ///< number of times that its thread has waited for its stores
  };

  /// Starts a thread, given by its index in the dispatch, under this TIDX.
  void start_thread(std::uint32_t thread, std::uint32_t tidx);
  /// Notes an access. Throws Fault (race) naming both invocations if it races with an earlier one.
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
  std::vector<std::uint8_t> tidx_;  ///< TIDX by thread index
  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
};

}  // namespace sidecore::v3dsim
