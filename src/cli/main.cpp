// sidecore: the command. Exit status: 0 good, 1 a gate or comparison failed, 2 wrong usage or
// input, 3 the environment lacks something.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/commands.h"

namespace {

int report(const char* message, int status) {
  fmt::print(stderr, "sidecore: {}\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using sidecore::ErrorKind;
  // A reader that closes the pipe early is an error that write() reports, not the end of the
  // process.
  std::signal(SIGPIPE, SIG_IGN);
  sidecore::remove_unfinished_files_on_signals();

  CLI::App app(
      "Is the GPU worth using as a side core next to NEON? Kernels, gates and metrics for "
      "Raspberry-Pi-class boards.",
      "sidecore");
  app.set_version_flag("--version", SIDECORE_VERSION);
  app.require_subcommand(1);
  sidecore::cli::add_decode_command(app);
  sidecore::cli::add_devices_command(app);
  sidecore::cli::add_gate_command(app);
  sidecore::cli::add_metrics_command(app);
  sidecore::cli::add_compare_command(app);
  sidecore::cli::add_shaderdb_command(app);
  sidecore::cli::add_picture_model_command(app);
  sidecore::cli::add_report_command(app);
  sidecore::cli::add_split_command(app);

  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return report(error.what(), static_cast<int>(ErrorKind::usage));
  } catch (const sidecore::Error& error) {
    return report(error.what(), error.exit_status());
  } catch (const std::bad_alloc&) {
    return report("out of memory", static_cast<int>(ErrorKind::environment));
  } catch (const std::exception& error) {
    return report(error.what(), static_cast<int>(ErrorKind::environment));
  }
}
