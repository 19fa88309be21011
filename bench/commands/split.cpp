// sidecore split: which stage of a decoder runs where, and how fast that will be.
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
  double fps = 0;  // 0: none
  std::optional<std::string> json;
  bool install = false;
  std::string install_to;  ///< empty: where players of this user look
};

/// A device that was named must be there; one that was not may be missing.
std::unique_ptr<qpu::Device> open_device(const SplitOptions& options, std::string& no_device) {
  if (options.no_qpu) {
    no_device = "--no-qpu";
    return nullptr;
  }
  qpu::DeviceOptions device = qpu::DeviceOptions::from_environment();
  device.selector = options.device;
  try {
    return qpu::Device::open(device);
  } catch (const Error& error) {
    if (!options.device.empty() || error.kind() != ErrorKind::environment) throw;
    no_device = error.what();
    return nullptr;
  }
}

/// Where the prices come from, if not from the sample alone.
void read_prices(const SplitOptions& options, split::ProposeOptions& propose) {
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
      throw usage_error("'{}' is a model of a V3D {}, and a {} has a V3D {}", options.pictures,
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

/// Rates are of one device, and whoever names a device wants it measured.
void check_device(const SplitOptions& options, const split::ProposeOptions& propose) {
  if (propose.rates && propose.device) model::check_device(*propose.rates, propose.device->info());
  if (!propose.model || options.device.empty()) return;
  if (split::is_modelled_device(propose.device->info(), *propose.model)) return;
  throw usage_error("'{}' is a model of a V3D {}, and '{}' is {}: leave one of the two away",
                    options.model, propose.model->v3d, options.device, propose.device->info().name);
}

/// Both sides of a board that has only a name are modelled: nothing that was measured fits in.
void check_board(const SplitOptions& options) {
  const std::optional<model::Board> board = model::board_of(options.model);
  if (!board) {
    if (!options.pictures.empty()) throw usage_error("--pictures is for --model pi4 and pi5");
    return;
  }
  if (options.pictures.empty()) {
    throw usage_error(
        "--model {} needs the stream's pictures on the simulated V3D: scripts/split CLIP --model "
        "{} "
        "makes them, or give the file of scripts/v3dsim-picture --back-end --json as --pictures",
        options.model, options.model);
  }
  if (!options.results.empty() || !options.device.empty()) {
    throw usage_error("--model {} models CPU and QPU of a board: {} has no place beside it",
                      options.model, options.results.empty() ? "--device" : "--results");
  }
  if (options.threads.value_or(1) > board->cores) {
    throw usage_error("--threads {}: a {} has {} cores", *options.threads, options.model,
                      board->cores);
  }
}

/// What the proposal is to be the best at; `meter` gets the sensors where they are needed.
void set_aim(const SplitOptions& options, std::optional<gates::EnergyMeter>& meter,
             split::ProposeOptions& propose) {
  propose.aim = *std::ranges::find(split::kAims, options.aim,
                                   [](split::Aim aim) { return std::string(to_string(aim)); });
  propose.fps = options.fps;
  if (propose.aim == split::Aim::speed && options.fps > 0) {
    throw usage_error("--fps is the rate of --for cpu and --for energy");
  }
  if (propose.aim != split::Aim::speed && options.fps <= 0) {
    throw usage_error("--for {} is at a rate of pictures: give --fps", options.aim);
  }
  if (propose.aim == split::Aim::speed) return;
  const bool runs = propose.run && !model::board_of(options.model);
  if (runs) {
    meter.emplace();
    propose.meter = &*meter;
  }
  if (propose.aim != split::Aim::energy) return;
  if (!runs) throw usage_error("--for energy: only plans that run take any");
  const Outcome<std::string> sensor = meter->description();
  if (!sensor) throw usage_error("--for energy: {}", sensor.reason);
}

/// The file that players read, and what is written to it.
class Installation {
 public:
  /// Throws Error (usage) when it cannot be written.
  explicit Installation(const std::string& path)
      : path_(path.empty() ? default_path() : std::filesystem::path(path)), file_(path_) {}

  void write(const split::Proposal& proposal, const SplitOptions& options) {
    const std::optional<std::size_t> best = split::best_for_players(proposal);
    if (!best) {
      throw environment_error("{} is left as it was: no plan that players can follow {}",
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
      throw usage_error("--install: neither XDG_CONFIG_HOME nor HOME is a directory");
    std::error_code error;  // AtomicFile says what cannot be written
    std::filesystem::create_directories(path.parent_path(), error);
    return path;
  }
  /// One line; of a clip's name only what can stand in it.
  static std::string origin(const std::string& stream, const split::Proposal& proposal,
                            const split::PlanResult& result) {
    std::string clip = std::filesystem::path(stream).filename();
    std::ranges::replace_if(
        clip, [](unsigned char c) { return c < ' '; }, '?');
    return fmt::format(
        "sidecore-split {}: {:.1f} pictures/s measured{}", clip,
        split::frame_rate(proposal, result.measured.value_or(0)),
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
  read_prices(options, propose);
  propose.threads = options.threads.value_or(propose.cores);
  const std::unique_ptr<qpu::Device> device =
      propose.board_costs ? nullptr : open_device(options, propose.no_device);
  propose.device = device.get();
  // Who names a CPU wants it to play the whole GPU.
  propose.back_end = !device || !device->info().is_cpu() || !options.device.empty();
  check_device(options, propose);
  std::optional<AtomicFile> file;
  if (options.json) file.emplace(*options.json);
  split::Proposal proposal = split::propose(stream, propose);
  proposal.run.command_line = cli::command_line();
  if (file) {
    file->write(split::to_json(proposal));
    file->commit();
  }
  // After the file, which does not depend on whether anybody can read the text.
  if (!options.json || !is_standard_output(*options.json))
    fmt::print("{}", printable(split::to_text(proposal), LineEnds::kept));
  if (!proposal.run.throttled.empty()) {
    throw environment_error("the figures are void, the board throttled: {}",
                            proposal.run.throttled);
  }
  if (installation) installation->write(proposal, options);
}

}  // namespace

void add_split_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "split", "Propose which stage of a VP9 decoder runs where, predict its speed, and run it");
  const auto options = std::make_shared<SplitOptions>();
  command->add_option("stream", options->input, "VP9 in IVF, WebM or another container")
      ->required();
  command->add_option("--results", options->results,
                      "Files that gate --json wrote on this board (M3, M4 and M5 of the loop "
                      "filters), to take the QPU's costs from; with --model: on the board that was "
                      "modelled (M3), to take the CPU's costs from");
  CLI::Option* const model = command->add_option(
      "--model", options->model,
      "pi4 or pi5: a modelled Raspberry Pi, CPU and QPU, none of it measured, with --pictures. Or "
      "a "
      "file that scripts/v3dsim-picture --json wrote of this stream: the QPU's costs alone are "
      "modelled");
  command->add_option(
      "--pictures", options->pictures,
      "With --model pi4 or pi5: what scripts/v3dsim-picture --back-end --json wrote of "
      "this stream; scripts/split makes it");
  command
      ->add_option(
          "--least-edges", options->least_edges,
          "N of the plan loop_filter=divided:N: edges of the smallest dependency level that is "
          "the QPU's (default: as many as NEON filters in the time of one dispatch)")
      ->check(cli::at_least_one());
  command
      ->add_option("--threads", options->threads,
                   "Most threads of a plan (default: one for each core)")
      ->check(CLI::Range(1, 256));
  command
      ->add_flag("--start-at-key-frame", options->start_at_key_frame,
                 "Leave out what is before the first key frame, and damaged packets with what is "
                 "before the next one, instead of ending there")
      ->excludes(model);  // whose simulator reads the whole file
  command->add_option("--packets", options->packets, "Read at most this many packets of the stream")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command
      ->add_option(
          "--sample", options->sample,
          "Share of the packets to measure (default: a third); speed is predicted for the others")
      ->check(CLI::Range(0.01, 0.99));
  CLI::Option* const device = command->add_option(
      "--device", options->device, "Device of the QPU's plans: index, type, or part of its name");
  command->add_flag("--no-qpu", options->no_qpu, "Plans of the CPU only")
      ->excludes(device)
      ->excludes("--results")
      ->excludes(model);
  CLI::Option* const no_run =
      command->add_flag("--no-run", options->no_run, "Predict only: run none of the plans");
  command
      ->add_option(
          "--for", options->aim,
          "What the proposal is to be the best at: speed, or at --fps the least CPU time or "
          "the least energy a picture; plans that are expected to keep the rate then play "
          "the rest at it")
      ->check(CLI::IsMember({"speed", "cpu", "energy"}))
      ->capture_default_str();
  command->add_option("--fps", options->fps, "Pictures a second that a plan is to keep")
      ->check(CLI::Range(0.1, 1000.0));
  command->add_option("--json", options->json, "JSON file for the proposal; - is standard output");
  CLI::Option* const install = command->add_flag(
      "--install", options->install,
      "Write the plan that ran best, of those that players can follow, and its threads to the file "
      "that the VA-API driver and the GStreamer element read: /etc/sidecore.conf for root, else "
      "sidecore.conf in ~/.config");
  CLI::Option* const install_to =
      command->add_option("--install-to", options->install_to, "The same to another file");
  install_to->excludes(install);
  for (CLI::Option* const option : {install, install_to}) option->excludes(model)->excludes(no_run);
  command->callback([options] { run_split(*options); });
}

}  // namespace sidecore::commands
