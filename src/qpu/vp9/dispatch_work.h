// What the dispatches of a frame do, for who counts what a unit of work takes.
#pragma once

#include <string>
#include <vector>

namespace sidecore::qpu {

/// What one dispatch does.
struct DispatchWork {
  std::string unit;  ///< singular: "4x4 square"
  /// Of the units, or of the program that takes them: dispatches of one kind may be added up. Empty
  /// where there is one.
  std::string kind;
  /// That it finishes. Where a unit takes several dispatches, all of its kind, the last has it.
  double units = 0;
  bool operator==(const DispatchWork&) const = default;
};

}  // namespace sidecore::qpu
