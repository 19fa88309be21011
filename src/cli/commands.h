// The commands of `sidecore`, one file each.
#pragma once

#include <CLI/CLI.hpp>

namespace sidecore::cli {

/// Adds `sidecore devices`, `gate`, `metrics` to the program. Each does its work in the subcommand's
/// callback and throws Error.
void add_devices_command(CLI::App& app);
void add_gate_command(CLI::App& app);
void add_metrics_command(CLI::App& app);

}  // namespace sidecore::cli
