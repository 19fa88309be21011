#include "shaderdb/modelled_bounds.h"

#include <algorithm>

namespace sidecore::shaderdb {
namespace {

std::string greatest(const ModelledBounds& bounds, double split::ModelledInterval::*end) {
  const auto most =
      std::ranges::max_element(bounds, {}, [&](const auto& bound) { return bound.second.*end; });
  return most == bounds.end() ? "" : most->first;
}

}  // namespace

void add(ModelledBounds& sums, const ModelledBounds& more) {
  for (const auto& [bound, seconds] : more) {
    sums[bound].low += seconds.low;
    sums[bound].high += seconds.high;
  }
}

std::string leading_bounds(const ModelledBounds& bounds) {
  const std::string low = greatest(bounds, &split::ModelledInterval::low);
  const std::string high = greatest(bounds, &split::ModelledInterval::high);
  return low == high ? low : low + " .. " + high;
}

}  // namespace sidecore::shaderdb
