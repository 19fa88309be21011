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

/// An environment in which Vulkan's validation layer hears a command, if this test's own
/// environment wants the layer.
Environment heard_by_validation();

/// Runs argv[0] with the test's environment, `changes` applied, standard input from /dev/null, and
/// without Vulkan's validation layer unless `changes` say otherwise: the layer takes seconds of
/// each process that compiles a decoder's shaders, and hears the same calls in the tests of shaders
/// and in the few of commands that ask for it. Sends SIGINT, once, as soon as interrupt_when()
/// holds, which is asked again and again.
CommandResult run_command(const std::vector<std::string>& argv, const Environment& changes = {},
                          const std::function<bool()>& interrupt_when = {});

}  // namespace sidecore::test
