// Runs a program as a user would, and keeps what it said.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace sidecore::test {

struct CommandResult {
  int status = -1;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs argv[0] with the test's environment, `changes` applied, standard input from /dev/null.
/// With interrupt_after_ms > 0, sends SIGINT that long after the start.
CommandResult run_command(const std::vector<std::string>& argv, const Environment& changes = {},
                          int interrupt_after_ms = 0);

}  // namespace sidecore::test
