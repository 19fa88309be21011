#include "report/figures.h"

#include <fmt/format.h>

#include <utility>

namespace sidecore::report {

std::string rate_text(double a_second) {
  for (const auto& [size, prefix] : {std::pair{1e9, " G"}, {1e6, " M"}, {1e3, " k"}}) {
    if (a_second >= size) return fmt::format("{:#.4g}{}", a_second / size, prefix);
  }
  return fmt::format("{:.4g}", a_second);
}

std::string percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

Bar rate_bar(std::string label, std::string side, const SampleSet& nanoseconds, std::size_t units) {
  const double work = static_cast<double>(units) * 1e9;
  const auto rate = [work](double elapsed) { return elapsed > 0 ? work / elapsed : 0; };
  return {std::move(label),      std::move(side),       rate(nanoseconds.median),
          rate(nanoseconds.p90), rate(nanoseconds.p10), rate_text(rate(nanoseconds.median))};
}

}  // namespace sidecore::report
