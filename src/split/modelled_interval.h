// Figures of a timing model, of which only bounds are known.
#pragma once

#include <map>
#include <string>

namespace sidecore::split {

/// Ends of an interval.
struct ModelledInterval {
  double low = 0;
  double high = 0;
  bool operator==(const ModelledInterval&) const = default;
};
/// By name.
using ModelledIntervals = std::map<std::string, ModelledInterval>;

}  // namespace sidecore::split
