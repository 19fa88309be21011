// The commands of `sidecore`, one file each: a function adds the command's options to the parser
// and what runs when it is chosen. Errors are thrown; main() turns them into a line and an exit
// status.
#pragma once

#include <CLI/CLI.hpp>

namespace sidecore::cli {

void add_devices_command(CLI::App& app);
void add_gate_command(CLI::App& app);
void add_metrics_command(CLI::App& app);

}  // namespace sidecore::cli
