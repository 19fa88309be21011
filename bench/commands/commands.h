// Commands of `sidecore` that measure, model and judge, one file each; cli/commands.h has the
// others.
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
