#include "shaderdb/figures.h"

#include <algorithm>
#include <array>

namespace sidecore::shaderdb {
namespace {

std::string greatest(const ModelledBounds& bounds, double ModelledInterval::*end) {
  const auto most =
      std::ranges::max_element(bounds, {}, [&](const auto& bound) { return bound.second.*end; });
  return most == bounds.end() ? "" : most->first;
}

}  // namespace

std::span<const FigureKind> compiled_figures() {
  static constexpr std::array kKinds = {
      FigureKind{"instructions", Better::lower}, FigureKind{"threads", Better::higher},
      FigureKind{"strategy", Better::lower},     FigureKind{"loops", Better::neither},
      FigureKind{"uniforms", Better::lower},     FigureKind{"max_temps", Better::neither},
      FigureKind{"spills", Better::lower},       FigureKind{"fills", Better::lower},
      FigureKind{"spill_bytes", Better::lower},  FigureKind{"sfu_stalls", Better::lower},
      FigureKind{"nops", Better::neither},
  };
  return kKinds;
}

std::span<const FigureKind> executed_figures() {
  static constexpr std::array kKinds = {
      FigureKind{"instructions", Better::lower}, FigureKind{"loads", Better::lower},
      FigureKind{"stores", Better::lower},       FigureKind{"atomics", Better::lower},
      FigureKind{"bytes", Better::lower},        FigureKind{"request_lines", Better::lower},
      FigureKind{"unique_lines", Better::lower}, FigureKind{"divergent_branches", Better::lower},
  };
  return kKinds;
}

void add(ModelledBounds& sums, const ModelledBounds& more) {
  for (const auto& [bound, seconds] : more) {
    sums[bound].low += seconds.low;
    sums[bound].high += seconds.high;
  }
}

std::string leading_bounds(const ModelledBounds& bounds) {
  const std::string low = greatest(bounds, &ModelledInterval::low);
  const std::string high = greatest(bounds, &ModelledInterval::high);
  return low == high ? low : low + " .. " + high;
}

}  // namespace sidecore::shaderdb
