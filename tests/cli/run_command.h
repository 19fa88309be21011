// Runs a program as a user would, and keeps what it said.
#pragma once

#include <functional>
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
/// Sends SIGINT, once, as soon as interrupt_when() holds, which is asked again and again.
CommandResult run_command(const std::vector<std::string>& argv, const Environment& changes = {},
                          const std::function<bool()>& interrupt_when = {});

}  // namespace sidecore::test
