// Runs a program as a user would, and keeps its output.
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

/// Returns a variable for run_command() that switches Vulkan's validation layer on if it is on for
/// the test itself. Without this variable run_command() switches the layer off.
Environment heard_by_validation();

/// Runs argv[0] with the test's environment, `changes` applied, and standard input from /dev/null.
/// Vulkan's validation layer is off unless `changes` switch it on: it takes seconds per process
/// that compiles a decoder's shaders, and tests of shaders and a few of commands check the same
/// calls. Sends SIGINT once, as soon as interrupt_when() returns true; this function is called
/// repeatedly.
CommandResult run_command(const std::vector<std::string>& argv, const Environment& changes = {},
                          const std::function<bool()>& interrupt_when = {});

}  // namespace sidecore::test
