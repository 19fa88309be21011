#include "qpu/hazard_tracker.h"

#include <algorithm>

namespace sidecore::qpu {

bool HazardTracker::conflicts(const MemoryAccess& access) const {
  const auto found = pending_.find(access.block);
  if (found == pending_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const MemoryAccess& earlier) {
    return (earlier.writes || access.writes) && earlier.begin < access.end &&
           access.begin < earlier.end;
  });
}

bool HazardTracker::add(std::span<const MemoryAccess> accesses) {
  const bool barrier = std::any_of(accesses.begin(), accesses.end(),
                                   [&](const MemoryAccess& access) { return conflicts(access); });
  if (barrier) pending_.clear();
  for (const MemoryAccess& access : accesses) {
    auto& of_block = pending_[access.block];
    // An access is remembered only once, because many dispatches of a list read the same table.
    const bool known =
        std::any_of(of_block.begin(), of_block.end(), [&](const MemoryAccess& earlier) {
          return earlier.begin == access.begin && earlier.end == access.end &&
                 earlier.writes == access.writes;
        });
    if (!known) of_block.push_back(access);
  }
  return barrier;
}

}  // namespace sidecore::qpu
