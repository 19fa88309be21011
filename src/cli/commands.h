// The product's commands of `sidecore`, one file each. Each function adds its command to the
// parser. The command's callback does the work and throws Error on failure.
#pragma once

#include <CLI/CLI.hpp>

namespace sidecore::cli {

/// Returns a check that an option's value is a whole number of at least 1.
[[nodiscard]] CLI::Validator at_least_one();

void add_compare_command(CLI::App& app);
void add_decode_command(CLI::App& app);
void add_metrics_command(CLI::App& app);

/// Adds the commands that measure, model and judge. bench/commands defines it, because code in src
/// includes no header of bench.
void add_laboratory_commands(CLI::App& app);

}  // namespace sidecore::cli
