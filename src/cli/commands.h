// The commands of `sidecore`, one file each. A command adds itself to the parser; its callback does
// the work and throws Error.
#pragma once

#include <CLI/CLI.hpp>

namespace sidecore::cli {

/// Checks that the value of an option is a whole number of 1 or more.
[[nodiscard]] CLI::Validator at_least_one();

void add_compare_command(CLI::App& app);
void add_decode_command(CLI::App& app);
void add_metrics_command(CLI::App& app);

/// Adds the commands that measure, model and judge. bench/commands defines it: the product includes
/// nothing of the laboratory, and both are in one program.
void add_laboratory_commands(CLI::App& app);

}  // namespace sidecore::cli
