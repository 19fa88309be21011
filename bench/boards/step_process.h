// Runs a step in a process of its own, so that it can neither take longer than allowed nor end the
// command.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/outcome.h"

namespace sidecore::boards {

/// Runs `work` in a child process and returns the text that it returns. The reason says why there
/// is none: the message of an Error that `work` threw, the signal that ended the process, or that
/// it ran longer than `limit` and was ended. The child ends if this process ends. Call it only
/// while this process has one thread and no open device. Throws Error (environment) if the process
/// cannot be started.
[[nodiscard]] Outcome<std::string> run_in_process(const std::function<std::string()>& work,
                                                  Nanoseconds limit);

}  // namespace sidecore::boards
