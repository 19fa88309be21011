// What the QPU's part in M4's work is worth.
#pragma once

#include <string>

namespace sidecore::gates {

struct PayOff {
  double gain = 0;              ///< mixed / baseline - 1, of medians
  bool outside_spread = false;  ///< no window of the one side reaches the other side's windows
  std::string winner;           ///< the better of the two splits
};

}  // namespace sidecore::gates
