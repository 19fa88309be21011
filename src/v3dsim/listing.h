// A program's code beside what a dispatch made of it.
#pragma once

#include <string>

#include "v3dsim/memory.h"
#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {

/// One line per instruction that ran: executions per thread, address, word, text. The memory must
/// still hold the code that ran; throws Fault (out_of_bounds) when it is gone.
[[nodiscard]] std::string listing(const Statistics& statistics, const Memory& memory);

}  // namespace sidecore::v3dsim
