// `sidecore verdict`: in ten minutes at most, runs the steps that say whether a board's GPU is
// worth using, prints ten lines, and keeps all figures in one file that can be sent to others.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/text_file.h"
#include "boards/board_file.h"
#include "boards/step_process.h"
#include "boards/steps.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "commands/commands.h"

namespace sidecore::commands {
namespace {

/// Options as given on the command line.
struct VerdictArguments {
  std::string clip;
  std::string output = "sidecore-verdict.json";
  std::string device;
  int threads = 0;      // 0: one per CPU
  double minutes = 10;  // time limit of all steps together
  bool fresh = false;
  bool quick = false;
};

// --- interruption ------------------------------------------------------------------------------

// Text and former handlers for the signal handler, which must not allocate.
std::array<char, 512> g_farewell{};
std::size_t g_farewell_size = 0;
struct sigaction g_former_interrupt {};
struct sigaction g_former_end {};

/// Prints how to go on, and passes the signal to the handler that removes unfinished files.
void say_how_to_continue(int signal_number) {
  [[maybe_unused]] const ssize_t ignored =
      ::write(STDERR_FILENO, g_farewell.data(), g_farewell_size);
  ::sigaction(signal_number, signal_number == SIGINT ? &g_former_interrupt : &g_former_end,
              nullptr);
  std::raise(signal_number);
}

/// Prints one line if ^C or SIGTERM ends the process, as long as the object exists.
class Farewell {
 public:
  explicit Farewell(const std::string& output) {
    const std::string text = fmt::format(
        "\nsidecore: interrupted; '{}' keeps the finished steps: the same command continues\n",
        printable(output));
    g_farewell_size = std::min(text.size(), g_farewell.size());
    std::copy_n(text.begin(), g_farewell_size, g_farewell.begin());
    struct sigaction action {};
    action.sa_handler = say_how_to_continue;
    ::sigemptyset(&action.sa_mask);
    install(SIGINT, action, g_former_interrupt);
    install(SIGTERM, action, g_former_end);
  }
  ~Farewell() {
    ::sigaction(SIGINT, &g_former_interrupt, nullptr);
    ::sigaction(SIGTERM, &g_former_end, nullptr);
  }
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;

  /// Gives a child process the former handlers, so that one process prints the line.
  static void leave() {
    ::sigaction(SIGINT, &g_former_interrupt, nullptr);
    ::sigaction(SIGTERM, &g_former_end, nullptr);
  }

 private:
  /// An ignored signal stays ignored.
  static void install(int signal_number, const struct sigaction& action, struct sigaction& former) {
    ::sigaction(signal_number, nullptr, &former);
    if (former.sa_handler != SIG_IGN) ::sigaction(signal_number, &action, nullptr);
  }
};

// --- the file ----------------------------------------------------------------------------------

void write_board_file(const boards::BoardFile& file, const std::string& output) {
  AtomicFile result(output);
  result.write(boards::to_json(file));
  result.commit();
}

/// Returns the clip that is installed with the command; empty if it is missing.
std::string installed_clip() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path clip =
      program.parent_path().parent_path() / "share/sidecore/verdict.webm";
  return !error && std::filesystem::exists(clip, error) ? clip.native() : std::string();
}

/// Returns the steps that an earlier run finished. Throws Error (usage) if the file is not of this
/// board, build and clip.
std::vector<boards::StepResult> earlier_steps(const VerdictArguments& arguments,
                                              boards::BoardFile& file) {
  constexpr const char* kWays = "--fresh starts it anew, -o names another file";
  if (arguments.fresh || !std::filesystem::is_regular_file(arguments.output)) return {};
  boards::BoardFile earlier;
  try {
    earlier = boards::parse_board_file(read_text_file(arguments.output), arguments.output);
  } catch (const Error& error) {
    throw error.reworded(fmt::format("{}; {}", error.what(), kWays));
  }
  if (const std::string why = boards::difference_of(earlier, file); !why.empty()) {
    throw usage_error("'{}' has another {}; {}", arguments.output, why, kWays);
  }
  file.environment = earlier.environment;
  if (file.device.name.empty()) {
    file.device = earlier.device;
    file.basis = earlier.basis;
  }
  if (file.clip.md5.empty()) file.clip = earlier.clip;
  std::erase_if(earlier.steps,
                [](const boards::StepResult& result) { return !result.is_finished(); });
  return earlier.steps;
}

// --- steps -------------------------------------------------------------------------------------

Nanoseconds limit_of(double seconds, const VerdictArguments& arguments) {
  const double scale = arguments.minutes * 60 / boards::kMaxSeconds;
  return std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds * scale));
}

/// Runs a step in its own process. A step that ends without a result has the reason in `missing`.
boards::StepResult run_alone(const boards::Step& step, const boards::StepSettings& settings,
                             const VerdictArguments& arguments) {
  const Outcome<std::string> text = boards::run_in_process(
      [&] {
        Farewell::leave();
        return boards::step_to_json(boards::run_step(step, settings));
      },
      limit_of(step.limit, arguments));
  boards::StepResult result;
  if (text) {
    result = boards::parse_step(*text);
  } else {
    result.step = step.name;
    result.missing = text.reason;
  }
  boards::hide_clip(result, settings.clip);
  return result;
}

/// Records the device in a process of its own, because an open device must not be inherited. Throws
/// Error (environment) if there is none and --device named one.
void record_device(const boards::StepSettings& settings, const VerdictArguments& arguments,
                   boards::BoardFile& file) {
  constexpr double kMaxToOpen = 15;
  constexpr char kSeparator = '\n';
  const Outcome<std::string> text = boards::run_in_process(
      [&] {
        Farewell::leave();
        bool substitute = false;
        const auto device = boards::find_device(settings, substitute);
        if (!device) throw Error(ErrorKind::environment, device.reason);
        return fmt::format("{}{}{}{}{}", substitute ? "substitute" : "gpu", kSeparator,
                           device->name, kSeparator, device->driver);
      },
      limit_of(kMaxToOpen, arguments));
  if (!text) {
    if (!arguments.device.empty()) throw Error(ErrorKind::environment, text.reason);
    print_remark(fmt::format("verdict: no GPU: {}\n", printable(text.reason)));
    return;
  }
  const std::size_t first = text->find(kSeparator);
  const std::size_t second = text->find(kSeparator, first + 1);
  if (text->substr(0, first) == "substitute") file.basis = boards::Basis::substitute;
  file.device = {text->substr(first + 1, second - first - 1), text->substr(second + 1)};
}

/// Throws the error that the steps' results ask for: wrong results first, then throttling, then
/// steps that did not run.
void refuse_faults(const boards::BoardFile& file) {
  std::vector<std::string> wrong;
  std::vector<std::string> throttled;
  std::vector<std::string> missing;
  for (const boards::StepResult& result : file.steps) {
    if (!result.agrees) wrong.push_back(result.step);
    if (!result.throttled.empty()) throttled.push_back(result.step);
    if (!result.missing.empty()) missing.push_back(result.step);
  }
  if (!wrong.empty()) {
    throw Error(ErrorKind::failed, fmt::format("results differ from the scalar definition in: {}",
                                               fmt::join(wrong, ", ")));
  }
  if (!throttled.empty()) {
    throw environment_error(
        "the board throttled, so these figures are void: {}; cool or power it better, then the "
        "same command repeats them",
        fmt::join(throttled, ", "));
  }
  if (!missing.empty()) {
    throw environment_error(
        "these steps did not run, or only in part: {}; the lines above say why, and the same "
        "command runs them again",
        fmt::join(missing, ", "));
  }
}

boards::StepSettings settings_of(const VerdictArguments& arguments) {
  boards::StepSettings settings;
  const int available = static_cast<int>(allowed_cpus().size());
  if (arguments.threads > available) {
    throw usage_error("--threads {}: this process may use only {} CPUs", arguments.threads,
                      available);
  }
  settings.threads = arguments.threads > 0 ? arguments.threads : available;
  settings.budget = arguments.quick ? boards::Budget::quick : boards::Budget::full;
  settings.device = arguments.device;
  settings.clip = arguments.clip.empty() ? installed_clip() : arguments.clip;
  if (settings.clip.empty()) {
    settings.no_clip =
        "the clip that is installed with sidecore is missing: install the package again, or name "
        "a VP9 clip";
  }
  return settings;
}

void run(const VerdictArguments& arguments) {
  if (arguments.output == "-") {
    throw usage_error("-o must be a file, because each finished step is kept there");
  }
  const boards::StepSettings settings = settings_of(arguments);
  boards::BoardFile file;
  file.sidecore = SIDECORE_VERSION;
  file.budget = settings.budget;
  file.threads = settings.threads;
  file.build = gates::build_record();
  file.environment = gates::record_environment();
  if (!settings.clip.empty()) file.clip = boards::record_clip(settings.clip);
  const Farewell farewell(arguments.output);
  record_device(settings, arguments, file);
  file.steps = earlier_steps(arguments, file);
  // The first write comes before the first step, so that a full disk costs no minutes.
  write_board_file(file, arguments.output);
  for (const boards::Step& step : boards::steps()) {
    if (boards::find_step(file, step.name) != nullptr) {
      print_remark(fmt::format("verdict: {}: kept from an earlier run\n", step.title));
      continue;
    }
    print_remark(
        fmt::format("verdict: {}, at most {:.0f} s\n", step.title,
                    std::chrono::duration<double>(limit_of(step.limit, arguments)).count()));
    boards::put_step(file, run_alone(step, settings, arguments));
    write_board_file(file, arguments.output);
  }
  fmt::print("{}", printable(boards::ten_lines(file), LineEnds::kept));
  fmt::print("file to send: {}\n", printable(arguments.output));
  std::fflush(stdout);  // the error's line comes last
  refuse_faults(file);
}

}  // namespace

void add_verdict_command(CLI::App& app) {
  auto arguments = std::make_shared<VerdictArguments>();
  CLI::App* const command = app.add_subcommand(
      "verdict",
      "Answer in ten minutes whether this board's GPU is worth using: M1 to M5, the decoder at 30 "
      "pictures/s and split's proposal, in ten lines and one file to send");
  command->add_option("clip", arguments->clip,
                      "VP9 in IVF, WebM or another container (default: the installed clip)");
  command
      ->add_option("-o,--output", arguments->output,
                   "File for all figures. If it exists, its finished steps are kept and the others "
                   "run")
      ->capture_default_str();
  command->add_flag("--fresh", arguments->fresh, "Ignore an existing file and run all steps");
  command->add_flag("--quick", arguments->quick,
                    "Short time windows and few repetitions, for a quick look instead of a "
                    "measurement");
  command->add_option("--device", arguments->device,
                      "Device: index, type (gpu, cpu ...), or part of its name");
  command
      ->add_option("--threads", arguments->threads, "Number of NEON threads (default: one per CPU)")
      ->check(cli::at_least_one());
  command
      ->add_option("--minutes", arguments->minutes,
                   "Time limit of all steps together, in minutes; a step that takes longer than "
                   "its part is ended")
      ->check(CLI::Range(0.01, 10000.0))
      ->capture_default_str();
  command->callback([arguments] { run(*arguments); });
}

}  // namespace sidecore::commands
