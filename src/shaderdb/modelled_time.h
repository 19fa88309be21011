// What the simulator's timing model (v3dsim/model.h) says of dispatches. A model: nothing in it was
// measured.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace sidecore::shaderdb {

/// Sums over dispatches. The model gives an interval of seconds for each, and for either end of it
/// the bound that was greatest: issue of instructions, the memory units, memory, or waiting.
struct ModelledTime {
  std::uint64_t dispatches = 0;
  std::map<std::string, double> low;  ///< seconds by the name of the bound
  std::map<std::string, double> high;

  void add(const ModelledTime& other);
  bool operator==(const ModelledTime&) const = default;
};

/// Of one end: all seconds, and the bound that holds for most of them ("" without any).
[[nodiscard]] double total_seconds(const std::map<std::string, double>& by_bound);
[[nodiscard]] std::string leading_bound(const std::map<std::string, double>& by_bound);

}  // namespace sidecore::shaderdb
