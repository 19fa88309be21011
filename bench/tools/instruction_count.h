// Marks the code whose instructions are counted, for instruction_count_plugin.cpp.
#pragma once

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace sidecore::bench {

/// Makes the emulator log the number of executed instructions: the plugin listens to this call.
inline void log_instructions() {
  (void)syscall(SYS_getsid, 0);
}

/// Counts the instructions of run(): logs before and after the call, and prints `what` on a line of
/// its own, so that the n-th line belongs to the n-th pair in the log. run() is called once before,
/// so that libraries are bound and tables are filled; prepare() is called before each run.
template <class Prepare, class Run>
void count_instructions(std::string_view what, const Prepare& prepare, const Run& run) {
  prepare();
  run();
  prepare();
  log_instructions();
  run();
  log_instructions();
  fmt::print("{}\n", what);
}

/// Returns the line of a count of a kernel: the arguments, separated by tabs. `units` counts the
/// work units of that run.
inline std::string count_line(std::string_view kernel, std::string_view input, int bits,
                              std::string_view unit, std::size_t units,
                              std::string_view implementation) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", kernel, input, bits, unit, units, implementation);
}

}  // namespace sidecore::bench
