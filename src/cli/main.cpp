// sidecore: the command. Exit status: 0 success, 1 a gate or comparison failed, 2 wrong usage or
// input, 3 the machine lacks something.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/vmaf.h"

namespace {

using sidecore::ErrorKind;

int report(const char* message, int status) {
  sidecore::print_remark(fmt::format("sidecore: {}\n", sidecore::printable(message)));
  return status;
}

constexpr const char* kOutputFailed = "cannot write to standard output";

// Flushes standard output, because an error such as a full disk may appear only at this point.
void flush_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0) {
    throw sidecore::errno_error(ErrorKind::environment, kOutputFailed, errno);
  }
  if (failed_before) throw sidecore::Error(ErrorKind::environment, kOutputFailed);
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
      app.exit(asked);
    }
    flush_output();
    return 0;
  } catch (const CLI::ParseError& error) {
    return report(error.what(), static_cast<int>(ErrorKind::usage));
  } catch (const sidecore::Error& error) {
    return report(error.what(), error.exit_status());
  } catch (const std::bad_alloc&) {
    return report("out of memory", static_cast<int>(ErrorKind::environment));
  } catch (const std::system_error& error) {
    // The message names standard output, because fmt::print() reports any failed write as a write
    // to a "file".
    const sidecore::Error full =
        sidecore::errno_error(ErrorKind::environment, kOutputFailed, error.code().value());
    return report(std::ferror(stdout) != 0 ? full.what() : error.what(), full.exit_status());
  } catch (const std::exception& error) {
    return report(error.what(), static_cast<int>(ErrorKind::environment));
  }
}

// Opens /dev/null for each closed standard stream. Otherwise the next opened file would get the
// stream's number, and printed text would go into that file. Tables and remarks are then discarded.
// A result for standard output must not be lost in silence: its descriptor is read-only, so that
// writing the result fails.
void open_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() returns the lowest free number, which is the number of this stream.
    const bool output = descriptor == STDOUT_FILENO;
    if (::open("/dev/null", output ? O_RDONLY : O_RDWR) != descriptor)
      std::_Exit(static_cast<int>(ErrorKind::environment));
    if (!output) continue;
    std::FILE* const nowhere = std::fopen("/dev/null", "we");
    if (nowhere == nullptr) std::_Exit(static_cast<int>(ErrorKind::environment));
    stdout = nowhere;
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  // These signals are ignored, so that write() reports a closed pipe or a file size limit as an
  // error.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sidecore::remove_unfinished_files_on_signals();
  if (argc > 0 && std::filesystem::path(argv[0]).filename() == "vmaf") {
    return sidecore::cli::run_vmaf(argc, argv);
  }

  CLI::App app(
      "Decodes VP9 and computes video quality metrics on NEON or on the GPU of a Raspberry Pi, and "
      "measures whether the GPU is worth using.",
      "sidecore");
  app.set_version_flag("--version", SIDECORE_VERSION);
  app.require_subcommand(1);
  app.footer("`sidecore COMMAND --help` describes a command and ends with an example.");
  sidecore::cli::add_decode_command(app);
  sidecore::cli::add_metrics_command(app);
  sidecore::cli::add_compare_command(app);
  for (CLI::App* const command : app.get_subcommands({})) command->group("Use");
  sidecore::cli::add_laboratory_commands(app);
  return run(app, argc, argv);
}
