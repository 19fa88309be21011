// `sidecore split`: proposes a stage plan of the VP9 decoder and predicts its speed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/configuration.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/printable.h"
#include "base/text_file.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "commands/commands.h"
#include "gates/environment.h"
#include "split/propose.h"

namespace sidecore::commands {
namespace {

struct SplitOptions {
  std::string input;
  std::vector<std::string> results;
  std::string model;
  std::string pictures;
  std::optional<std::size_t> least_edges;
  std::optional<int> threads;
  std::size_t packets = 300;
  bool start_at_key_frame = false;
  double sample = 1.0 / 3;
  std::string device;
  bool no_qpu = false;
  bool no_run = false;
  std::string aim = "speed";
  double fps = 0;  // picture rate in pictures per second; 0 if --fps was not given
  std::optional<std::string> json;
  bool install = false;
  std::string install_to;  ///< file to write; empty: the file that players of this user read
};

Outcome<std::unique_ptr<qpu::Device>> open_split_device(const SplitOptions& options) {
  if (options.no_qpu) return {std::nullopt, "--no-qpu was given"};
  qpu::DeviceOptions device = qpu::DeviceOptions::from_environment();
  device.selector = options.device;
  return open_device(device);
}

/// Reads the costs that come from files instead of measurements: gate results and models.
void read_costs(const SplitOptions& options, split::ProposeOptions& propose) {
  const auto results = model::read_results(options.results);
  if (options.model.empty()) {
    if (results.empty()) return;
    propose.rates = model::gate_rates(results, options.results, gates::record_environment());
    return;
  }
  if (const std::optional<model::Board> board = model::board_of(options.model)) {
    propose.model = model::read_picture_model(options.pictures);
    propose.model_file = options.pictures;
    if (propose.model->v3d != model::v3d_of(*board)) {
      throw usage_error("'{}' is a model of a V3D {}, but a {} has a V3D {}", options.pictures,
                        propose.model->v3d, options.model, model::v3d_of(*board));
    }
    propose.board_costs = model::board_costs(*board);
    propose.cores = board->cores;
    return;
  }
  propose.model = model::read_picture_model(options.model);
  propose.model_file = options.model;
  if (results.empty()) return;
  propose.board =
      model::board_cpu(results, options.results, gates::record_environment(), propose.model->v3d);
}

/// Throws Error (usage) if the gate results are from another device than the open one, or if
/// --device names a device that the model does not describe.
void check_device(const SplitOptions& options, const split::ProposeOptions& propose) {
  if (propose.rates && propose.device)
    model::check_device(*propose.rates, (*propose.device)->info());
  if (!propose.model || options.device.empty()) return;
  const qpu::DeviceInfo& device = (*propose.device)->info();
  if (split::is_modelled_device(device, *propose.model)) return;
  throw usage_error(
      "'{}' is a model of a V3D {}, but device '{}' is {}: give only one of --model and --device",
      options.model, propose.model->v3d, options.device, device.name);
}

/// Checks the options of --model pi4 and pi5, which model CPU and QPU and use no measurements.
void check_board(const SplitOptions& options) {
  const std::optional<model::Board> board = model::board_of(options.model);
  if (!board) {
    if (!options.pictures.empty())
      throw usage_error("--pictures can only be used with --model pi4 or --model pi5");
    return;
  }
  if (options.pictures.empty()) {
    throw usage_error(
        "--model {} needs --pictures FILE, the stream's pictures modelled on the simulated V3D: "
        "scripts/split CLIP --model {} makes the file, or scripts/v3dsim-picture --back-end --json",
        options.model, options.model);
  }
  if (!options.results.empty() || !options.device.empty()) {
    throw usage_error("--model {} models CPU and QPU of a board: it cannot be used with {}",
                      options.model, options.results.empty() ? "--device" : "--results");
  }
  if (options.threads.value_or(1) > board->cores) {
    throw usage_error("--threads {}: a {} has only {} cores", *options.threads, options.model,
                      board->cores);
  }
}

/// Sets the aim; opens the energy sensors in `meter` if plans will be played.
void set_aim(const SplitOptions& options, std::optional<gates::EnergyMeter>& meter,
             split::ProposeOptions& propose) {
  propose.aim = *std::ranges::find(split::kAims, options.aim,
                                   [](split::Aim aim) { return std::string(to_string(aim)); });
  propose.fps = options.fps;
  if (propose.aim == split::Aim::speed && options.fps > 0) {
    throw usage_error("--fps can only be used with --for cpu and --for energy");
  }
  if (propose.aim != split::Aim::speed && options.fps <= 0) {
    throw usage_error("--for {} needs a picture rate: give --fps", options.aim);
  }
  if (propose.aim == split::Aim::speed) return;
  const bool runs = propose.run && !model::board_of(options.model);
  if (runs) {
    meter.emplace();
    propose.meter = &*meter;
  }
  if (propose.aim != split::Aim::energy) return;
  if (!runs) throw usage_error("--for energy needs plans that run: leave out --no-run and --model");
  const Outcome<std::string> sensor = meter->description();
  if (!sensor) throw usage_error("--for energy: {}", sensor.reason);
}

/// Writes the best plan to the file that players read.
class Installation {
 public:
  /// Opens the file. Throws Error (usage) if it cannot be written.
  explicit Installation(const std::string& path)
      : path_(path.empty() ? default_path() : std::filesystem::path(path)), file_(path_) {}

  void write(const split::Proposal& proposal, const SplitOptions& options) {
    const std::optional<std::size_t> best = split::find_best_for_players(proposal);
    if (!best) {
      throw environment_error("{} was not changed: no plan that players can follow {}",
                              path_.native(),
                              proposal.aim == split::Aim::speed ? "ran" : "serves the aim");
    }
    const split::PlanResult& result = proposal.plans[*best];
    std::vector<Setting> settings{{"plan", to_text(result.candidate.plan)},
                                  {"threads", std::to_string(result.candidate.threads)}};
    if (result.candidate.plan.uses_qpu()) settings.push_back({"device", options.device});
    const std::string before = std::filesystem::exists(path_) ? read_text_file(path_) : "";
    file_.write(with_settings(before, settings, origin(options.input, proposal, result)));
    file_.commit();
    fmt::print("\ninstalled in {}: {}\n", path_.native(), split::label_of(result));
  }

 private:
  static std::filesystem::path default_path() {
    std::filesystem::path path =
        ::geteuid() == 0 ? std::filesystem::path(kSystemConfiguration) : user_configuration();
    if (path.empty())
      throw usage_error("--install: neither XDG_CONFIG_HOME nor HOME names a directory");
    std::error_code error;  // ignored, because AtomicFile reports a missing directory
    std::filesystem::create_directories(path.parent_path(), error);
    return path;
  }
  /// Returns the comment line for the file. Control characters in the clip's name become '?'.
  static std::string origin(const std::string& stream, const split::Proposal& proposal,
                            const split::PlanResult& result) {
    std::string clip = std::filesystem::path(stream).filename();
    std::ranges::replace_if(
        clip, [](unsigned char c) { return c < ' '; }, '?');
    return fmt::format(
        "sidecore-split {}: {:.1f} pictures/s measured{}", clip,
        split::frame_rate(proposal, result.measured.value.value_or(0)),
        proposal.aim == split::Aim::speed
            ? ""
            : fmt::format(", the least {} at {:g} pictures/s",
                          proposal.aim == split::Aim::cpu ? "CPU time" : "energy", proposal.fps));
  }

  std::filesystem::path path_;
  AtomicFile file_;
};

void run_split(const SplitOptions& options) {
  std::optional<Installation> installation;
  if (options.install || !options.install_to.empty()) installation.emplace(options.install_to);
  const model::Stream stream = model::read_stream(options.input, options.packets, options.sample,
                                                  options.start_at_key_frame);
  split::ProposeOptions propose;
  propose.cores = static_cast<int>(allowed_cpus().size());
  propose.run = !options.no_run;
  propose.least_edges = options.least_edges;
  check_board(options);
  std::optional<gates::EnergyMeter> meter;
  set_aim(options, meter, propose);
  read_costs(options, propose);
  propose.threads = options.threads.value_or(propose.cores);
  Outcome<std::unique_ptr<qpu::Device>> device;
  if (!propose.board_costs) device = open_split_device(options);
  if (device) propose.device.value = device->get();
  propose.device.reason = device.reason;
  // Plans with all pixel stages on the QPU are not measured on a Vulkan driver on the CPU, which is
  // slow, unless the user names that device.
  propose.back_end = !device || !(*device)->info().is_cpu() || !options.device.empty();
  check_device(options, propose);
  std::optional<AtomicFile> file;
  if (options.json) file.emplace(*options.json);
  split::Proposal proposal = split::propose(stream, propose);
  proposal.run.command_line = cli::command_line();
  if (file) {
    file->write(split::to_json(proposal));
    file->commit();
  }
  // The text is printed after the file is written, because the file must be complete even if
  // standard output is closed.
  if (!options.json || !is_standard_output(*options.json))
    fmt::print("{}", printable(split::to_text(proposal), LineEnds::kept));
  if (!proposal.run.throttled.empty()) {
    throw environment_error("the figures are void because the board throttled: {}",
                            proposal.run.throttled);
  }
  if (installation) installation->write(proposal, options);
}

}  // namespace

void add_split_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("split",
                                               "Predict and measure the speed of VP9 stage plans "
                                               "(CPU or QPU for each stage), and propose one");
  const auto options = std::make_shared<SplitOptions>();
  command->add_option("stream", options->input, "VP9 in IVF, WebM or another container")
      ->required();
  command->add_option("--results", options->results,
                      "Files that gate --json wrote on this board (M3, M4 and M5 of the loop "
                      "filters): source of the QPU's costs. With --model FILE: files from the "
                      "modelled board (M3), source of the CPU's costs");
  CLI::Option* const model = command->add_option(
      "--model", options->model,
      "pi4 or pi5: model CPU and QPU of that Raspberry Pi and measure nothing (needs --pictures). "
      "Or a file that scripts/v3dsim-picture --json wrote for this stream: model only the QPU's "
      "costs");
  command->add_option(
      "--pictures", options->pictures,
      "With --model pi4 or pi5: file that scripts/v3dsim-picture --back-end --json wrote for this "
      "stream; scripts/split makes it");
  command
      ->add_option(
          "--least-edges", options->least_edges,
          "N of the plan loop_filter=divided:N: fewest edges for which the QPU filters a "
          "dependency level (default: as many as NEON filters in the time of one dispatch)")
      ->check(cli::at_least_one());
  command
      ->add_option("--threads", options->threads, "Most threads of a plan (default: one per core)")
      ->check(CLI::Range(1, kMaxThreads));
  command
      ->add_flag("--start-at-key-frame", options->start_at_key_frame,
                 "Skip packets before the first key frame, and damaged packets up to the next key "
                 "frame, instead of ending there")
      // --start-at-key-frame excludes --model, because the simulator reads all packets from the
      // first.
      ->excludes(model);
  command->add_option("--packets", options->packets, "Most packets of the stream to read")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command
      ->add_option("--sample", options->sample,
                   "Share of the packets to measure, 0.01 to 0.99 (default: 1/3); speed is "
                   "predicted for the "
                   "others")
      ->check(CLI::Range(0.01, 0.99));
  CLI::Option* const device =
      command->add_option("--device", options->device,
                          "Vulkan device for plans with the QPU: index, type, or part of its name");
  command->add_flag("--no-qpu", options->no_qpu, "Compare only plans of the CPU")
      ->excludes(device)
      ->excludes("--results")
      ->excludes(model);
  CLI::Option* const no_run = command->add_flag(
      "--no-run", options->no_run, "Only predict: do not run the plans on the remaining packets");
  command
      ->add_option("--for", options->aim,
                   "Criterion of the proposal: speed; cpu or energy: least CPU time or energy per "
                   "picture at "
                   "--fps pictures per second, for which plans that keep the rate play the "
                   "remaining packets")
      ->check(CLI::IsMember({"speed", "cpu", "energy"}))
      ->capture_default_str();
  command
      ->add_option("--fps", options->fps,
                   "Picture rate for --for cpu and --for energy, in pictures per second")
      ->check(CLI::Range(0.1, 1000.0));
  command->add_option("--json", options->json,
                      "File for the proposal as JSON; - is standard output");
  CLI::Option* const install = command->add_flag(
      "--install", options->install,
      "Write the plan that ran best, among those that players can follow, and its number of "
      "threads "
      "to the file that the VA-API driver and the GStreamer element read: /etc/sidecore.conf for "
      "root, else ~/.config/sidecore.conf");
  CLI::Option* const install_to = command->add_option("--install-to", options->install_to,
                                                      "As --install, but write to this file");
  install_to->excludes(install);
  for (CLI::Option* const option : {install, install_to}) option->excludes(model)->excludes(no_run);
  command->callback([options] { run_split(*options); });
}

}  // namespace sidecore::commands
