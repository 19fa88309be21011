#include "commands/commands.h"

#include "cli/commands.h"

namespace sidecore::cli {

void add_laboratory_commands(CLI::App& app) {
  commands::add_devices_command(app);
  commands::add_gate_command(app);
  commands::add_split_command(app);
  commands::add_report_command(app);
  commands::add_shaderdb_command(app);
  commands::add_picture_model_command(app);
  commands::add_schema_command(app);
}

}  // namespace sidecore::cli
