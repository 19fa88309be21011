#include "gates/figure_text.h"

#include <fmt/format.h>

namespace sidecore::gates {

std::string microseconds(double nanoseconds) {
  return fmt::format("{:.1f}", nanoseconds / 1e3);
}

std::string branch_text(const std::vector<BranchRate>& branches) {
  if (branches.empty()) return "none";
  std::string text;
  for (const BranchRate& branch : branches) {
    text += fmt::format("{}{} {:.1f} % of {}", text.empty() ? "" : ", ", branch.name,
                        100 * branch.rate, branch.of);
  }
  return text;
}

}  // namespace sidecore::gates
