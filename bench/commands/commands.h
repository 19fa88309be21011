// Commands of `sidecore` that measure, model and judge, one file each; cli/commands.h has the
// others.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "base/outcome.h"
#include "qpu/device.h"

namespace sidecore::commands {

void add_devices_command(CLI::App& app);
void add_gate_command(CLI::App& app);
void add_picture_model_command(CLI::App& app);
void add_report_command(CLI::App& app);
void add_schema_command(CLI::App& app);
void add_shaderdb_command(CLI::App& app);
void add_split_command(CLI::App& app);
void add_verdict_command(CLI::App& app);

/// Opens a device. If the options name one, it must exist; otherwise returns the reason if there is
/// no device.
[[nodiscard]] Outcome<std::unique_ptr<qpu::Device>> open_device(const qpu::DeviceOptions& options);

}  // namespace sidecore::commands
