// Work units of a frame's dispatches, for computing costs per unit.
#pragma once

#include <string>
#include <vector>

namespace sidecore::qpu {

/// Work of one dispatch.
struct DispatchWork {
  std::string unit;  ///< singular: "4x4 square"
  /// Kind of the units or of their program. Dispatches of the same kind may be summed. Empty if
  /// there is only one kind.
  std::string kind;
  /// Number of units that the dispatch finishes. If a unit takes several dispatches, all of its
  /// kind, the last one counts it.
  double units = 0;
  bool operator==(const DispatchWork&) const = default;
};

}  // namespace sidecore::qpu
