// The laboratory's commands of `sidecore`, one file each, as cli/commands.h has the product's.
#pragma once

#include <CLI/CLI.hpp>

namespace sidecore::commands {

void add_devices_command(CLI::App& app);
void add_gate_command(CLI::App& app);
void add_picture_model_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_schema_command(CLI::App& app);
void add_shaderdb_command(CLI::App& app);
void add_split_command(CLI::App& app);

}  // namespace sidecore::commands
