// Which stage of a VP9 decoder runs where.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sidecore::split {

/// Who filters the edges; the other stages are the CPU's, by as many threads.
enum class FilterPlace : std::uint8_t {
  scalar,
  neon,
  qpu,    ///< all edges; the CPU waits
  split,  ///< the QPU luma's large steps, NEON chroma meanwhile and the rest afterwards
};
inline constexpr std::array kFilterPlaces{FilterPlace::scalar, FilterPlace::neon, FilterPlace::qpu,
                                          FilterPlace::split};
/// The name that `sidecore decode --loop-filter` takes.
[[nodiscard]] const char* to_string(FilterPlace place);
[[nodiscard]] constexpr bool needs_qpu(FilterPlace place) {
  return place == FilterPlace::qpu || place == FilterPlace::split;
}

/// With FilterPlace::split: steps of fewer edges are NEON's. One figure for all plans and all
/// machines, that predictions and runs divide alike; `sidecore decode` measures its own.
inline constexpr std::size_t kLeastEdgesOfAStep = 512;

struct Plan {
  FilterPlace filter = FilterPlace::neon;
  int threads = 1;
  bool operator==(const Plan&) const = default;
  /// "neon filter, 2 threads".
  [[nodiscard]] std::string label() const;
};

/// All plans of 1 to `threads` threads: powers of two, and `threads` itself.
[[nodiscard]] std::vector<Plan> all_plans(int threads, bool with_qpu);

}  // namespace sidecore::split
