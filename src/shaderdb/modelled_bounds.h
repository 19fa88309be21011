// What the simulator's timing model (v3dsim/model.h) says of dispatches. A model: nothing in it was
// measured.
#pragma once

#include <map>
#include <string>

namespace sidecore::shaderdb {

/// Ends of an interval.
struct ModelledSeconds {
  double low = 0;
  double high = 0;
  bool operator==(const ModelledSeconds&) const = default;
};

/// Sums over dispatches, by the name of the bound: how long the issue of instructions, the memory
/// units, memory, or waiting would take if there were nothing else.
using ModelledBounds = std::map<std::string, ModelledSeconds>;

void add(ModelledBounds& sums, const ModelledBounds& more);

/// "tmu", or "tmu .. latency": the greatest at the low and at the high end; "" of none.
[[nodiscard]] std::string leading_bounds(const ModelledBounds& bounds);

}  // namespace sidecore::shaderdb
