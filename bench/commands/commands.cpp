#include "commands/commands.h"

#include <fmt/format.h>

#include "cli/commands.h"

namespace sidecore::cli {
namespace {

/// A command's place in `sidecore --help`, and the example that ends its own help: it works after
/// scripts/demo.
struct Help {
  const char* name;
  const char* group;
  const char* example;
};
constexpr Help kHelp[] = {
    {"verdict", "Decide", "sidecore verdict"},
    {"gate", "Decide", "sidecore gate loop_filter --input build/demo/distorted.webm --quick"},
    {"split", "Decide", "sidecore split build/demo/distorted.webm"},
    {"devices", "Decide", "sidecore devices"},
    {"report", "Look inside",
     "sidecore report results/gate-loop_filter.json results/split.json -o results/report.html"},
    {"shaderdb", "Look inside",
     "sidecore shaderdb loop_filter (without a Raspberry Pi: scripts/shaderdb loop_filter)"},
    {"picture-model", "Look inside",
     "sidecore picture-model build/demo/distorted.webm (without a Raspberry Pi: "
     "scripts/v3dsim-picture build/demo/distorted.webm)"},
    {"schema", "Look inside", "sidecore schema split"}};

}  // namespace

void add_laboratory_commands(CLI::App& app) {
  commands::add_verdict_command(app);
  commands::add_gate_command(app);
  commands::add_split_command(app);
  commands::add_devices_command(app);
  commands::add_report_command(app);
  commands::add_shaderdb_command(app);
  commands::add_picture_model_command(app);
  commands::add_schema_command(app);
  for (const auto& [name, group, example] : kHelp) {
    app.get_subcommand(name)->group(group)->footer(fmt::format("Example: {}", example));
  }
}

}  // namespace sidecore::cli
