// The command `sidecore`.
#include <cstdio>
#include <exception>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  sidecore::remove_unfinished_files_on_signals();
  CLI::App app("GPU side-core toolkit for Raspberry-Pi-class boards", "sidecore");
  app.require_subcommand(1);
  sidecore::cli::add_devices_command(app);
  sidecore::cli::add_metrics_command(app);
  sidecore::cli::add_gate_command(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(sidecore::ErrorKind::usage);
  } catch (const sidecore::Error& error) {
    std::fprintf(stderr, "sidecore: %s\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sidecore: %s\n", error.what());
    return static_cast<int>(sidecore::ErrorKind::environment);
  }
  return 0;
}
