// Finds accesses of one dispatch that nothing orders.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

namespace sidecore::v3dsim {

/// One invocation at one moment, as the checker tells accesses apart.
struct Accessor {
  std::uint32_t invocation = 0;   ///< index in the dispatch, unique
  std::uint32_t thread = 0;       ///< index of its 16-lane thread in the dispatch
  std::uint32_t workgroup = 0;    ///< linear index
  std::uint32_t slot = 0;         ///< the workgroup's index in shared memory
  std::uint32_t thread_slot = 0;  ///< TIDX, which spilled registers are addressed by
  std::uint32_t epoch = 0;        ///< barriers its supergroup has passed
};

/// Remembers, per byte, the last writer and up to two readers. What it reports is a race by the
/// rule below; with more than two readers of a byte it may miss one. Ordered are: an invocation
/// with itself; two of the same workgroup with a barrier between them; two workgroups that used the
/// same slot of shared memory, or two threads that used the same TIDX, one after the other, because
/// the hardware reuses those only when the former has ended; with `lanes_are_ordered`, the
/// invocations of one thread. Two atomics never race.
class RaceChecker {
 public:
  explicit RaceChecker(bool lanes_are_ordered);
  ~RaceChecker();
  RaceChecker(const RaceChecker&) = delete;
  RaceChecker& operator=(const RaceChecker&) = delete;

  enum class Access : std::uint8_t { read, write, atomic };
  /// Throws Fault (race) naming both invocations.
  void touch(const Accessor& who, std::uint32_t address, std::uint32_t bytes, Access access);

 private:
  struct Byte;
  struct Page;
  [[nodiscard]] bool ordered(const Accessor& before, const Accessor& now) const;
  void touch_byte(Byte& byte, const Accessor& who, std::uint32_t address, Access access);

  bool lanes_are_ordered_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
};

}  // namespace sidecore::v3dsim
