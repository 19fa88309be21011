// The command that is running, for results that say how they were made.
#pragma once

#include <string>
#include <vector>

namespace sidecore::cli {

/// The words of this process's command line; empty when the system does not tell.
[[nodiscard]] std::vector<std::string> command_line();

}  // namespace sidecore::cli
