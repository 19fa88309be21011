// `sidecore split`: proposes a stage plan of the VP9 decoder and predicts its speed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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
  std::vector<std::string> inputs;
  std::optional<std::size_t> streams;
  std::vector<std::string> results;
  std::string model;
  std::vector<std::string> pictures;
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
void read_costs(const SplitOptions& options, std::size_t clip, split::ProposeOptions& propose) {
  const auto results = model::read_results(options.results);
  if (options.model.empty()) {
    if (results.empty()) return;
    propose.rates = model::gate_rates(results, options.results, gates::record_environment());
    return;
  }
  if (const std::optional<model::Board> board = model::board_of(options.model)) {
    const std::string& pictures = options.pictures[clip];
    propose.model = model::read_picture_model(pictures);
    propose.model_file = pictures;
    if (propose.model->v3d != model::v3d_of(*board)) {
      throw usage_error("'{}' is a model of a V3D {}, but a {} has a V3D {}", pictures,
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
  if (options.pictures.size() != options.inputs.size()) {
    throw usage_error("--pictures must be given once per clip, in the same order: {} of {}",
                      options.pictures.size(), options.inputs.size());
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

/// Returns true if the question is how many streams fit.
bool is_for_streams(const SplitOptions& options) {
  return options.inputs.size() > 1 || options.streams.has_value();
}

/// Checks the options of several streams.
void check_streams(const SplitOptions& options) {
  const auto refuse = [](const char* option) {
    throw usage_error("several streams cannot be used with {}", option);
  };
  if (options.inputs.size() > 1 && options.streams) {
    throw usage_error("--streams N plays one clip N times: give one clip, or leave out --streams");
  }
  if (options.fps <= 0) throw usage_error("several streams need a picture rate: give --fps");
  if (options.aim == "energy") refuse("--for energy");
  if (!options.results.empty()) refuse("--results");
  if (options.install || !options.install_to.empty()) refuse("--install");
  if (!options.model.empty() && !model::board_of(options.model)) refuse("--model FILE");
}

/// Sets the aim; opens the energy sensors in `meter` if plans will be played.
void set_aim(const SplitOptions& options, std::optional<gates::EnergyMeter>& meter,
             split::ProposeOptions& propose) {
  propose.aim = *std::ranges::find(split::kAims, options.aim,
                                   [](split::Aim aim) { return std::string(to_string(aim)); });
  propose.fps = options.fps;
  if (propose.aim == split::Aim::speed && options.fps > 0 && !is_for_streams(options)) {
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
      throw environment_error("{} was not changed: no plan that players accept {}", path_.native(),
                              proposal.aim == split::Aim::speed ? "ran" : "serves the aim");
    }
    const split::PlanResult& result = proposal.plans[*best];
    std::vector<Setting> settings{{"plan", to_text(result.candidate.plan)},
                                  {"threads", std::to_string(result.candidate.threads)}};
    if (result.candidate.plan.uses_qpu()) settings.push_back({"device", options.device});
    const std::string before = std::filesystem::exists(path_) ? read_text_file(path_) : "";
    file_.write(with_settings(before, settings, origin(options.inputs[0], proposal, result)));
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
            : fmt::format(", the least {} of the plans that keep {:g} pictures/s",
                          proposal.aim == split::Aim::cpu ? "CPU time" : "energy", proposal.fps));
  }

  std::filesystem::path path_;
  AtomicFile file_;
};

/// Writes the document and prints `text`.
void write_proposal(const SplitOptions& options, std::optional<AtomicFile>& file,
                    split::Proposal& proposal, const std::string& text) {
  proposal.run.command_line = cli::command_line();
  if (file) {
    file->write(split::to_json(proposal));
    file->commit();
  }
  // The text comes after the file, which is written even if standard output is closed.
  if (!options.json || !is_standard_output(*options.json))
    fmt::print("{}", printable(text, LineEnds::kept));
  if (!proposal.run.throttled.empty()) {
    throw environment_error("the figures are void because the board throttled: {}",
                            proposal.run.throttled);
  }
}

/// Plays all streams at once and adds the figures to the answer.
void play_streams(const SplitOptions& options, std::span<const model::Stream* const> streams,
                  split::StreamsAnswer& answer) {
  std::vector<split::StreamPlayer> players;
  for (std::size_t index = 0; index < streams.size(); ++index) {
    players.push_back({streams[index], answer.streams[index].plan.candidate});
  }
  const split::PlayedTogether played = split::play_together(players, options.fps, [&] {
    Outcome<std::unique_ptr<qpu::Device>> device = open_split_device(options);
    if (!device) throw environment_error("{}", device.reason);
    return std::move(*device.value);
  });
  for (std::size_t index = 0; index < streams.size(); ++index) {
    answer.streams[index].pictures = played.streams[index].pictures;
    answer.streams[index].missed = played.streams[index].missed;
  }
  answer.played_cpu = played.cpu_seconds;
}

/// Answers how many streams fit at the rate: proposes plans for each clip, shares out the machine,
/// and plays all streams at once unless a board is modelled.
void run_streams(const SplitOptions& options) {
  check_streams(options);
  check_board(options);
  std::vector<model::Stream> clips;
  for (const std::string& input : options.inputs) {
    clips.push_back(
        model::read_stream(input, options.packets, options.sample, options.start_at_key_frame));
  }
  std::optional<AtomicFile> file;
  if (options.json) file.emplace(*options.json);
  const bool modelled = model::board_of(options.model).has_value();
  Outcome<std::unique_ptr<qpu::Device>> device;
  if (!modelled) device = open_split_device(options);
  split::Capacity capacity{.cores = 1, .qpu = 0};
  std::vector<split::Proposal> proposals;
  std::vector<split::StreamChoices> choices;
  for (std::size_t clip = 0; clip < clips.size(); ++clip) {
    split::ProposeOptions propose;
    propose.cores = static_cast<int>(allowed_cpus().size());
    propose.run = false;
    propose.least_edges = options.least_edges;
    propose.aim = split::Aim::cpu;
    propose.fps = options.fps;
    read_costs(options, clip, propose);
    propose.threads = options.threads.value_or(propose.cores);
    if (device) propose.device.value = device->get();
    propose.device.reason = device.reason;
    propose.back_end = !device || !(*device)->info().is_cpu() || !options.device.empty();
    capacity.cores = propose.cores;
    if (propose.board_costs) {
      capacity.memory_bytes_per_second = propose.board_costs->board.memory_bytes_per_second;
    }
    proposals.push_back(split::propose(clips[clip], propose));
    if (proposals.back().qpu) capacity.qpu = 1;
    choices.push_back(split::choices_of(proposals.back()));
  }
  std::vector<const model::Stream*> streams;
  for (const model::Stream& clip : clips) {
    streams.insert(streams.end(), options.streams.value_or(1), &clip);
  }
  choices.resize(streams.size(), choices.front());
  split::StreamsAnswer answer = split::answer_for(choices, options.fps, capacity);
  if (modelled) {
    answer.not_played = "a board is modelled; without --model, the streams play on this machine";
  } else if (options.no_run) {
    answer.not_played = "--no-run was given";
  } else {
    play_streams(options, streams, answer);
  }
  split::Proposal& first = proposals.front();
  if (answer.played_cpu) {
    for (split::PlanResult& plan : first.plans) {
      plan.measured.reason = "the streams were played at once instead";
    }
  }
  std::string text = split::to_text(answer) + "\nassumed:\n";
  for (const std::string& assumption : first.assumptions) text += "- " + assumption + "\n";
  first.streams = std::move(answer);
  write_proposal(options, file, first, text);
}

void run_split(const SplitOptions& options) {
  if (is_for_streams(options)) return run_streams(options);
  std::optional<Installation> installation;
  if (options.install || !options.install_to.empty()) installation.emplace(options.install_to);
  const model::Stream stream = model::read_stream(options.inputs[0], options.packets,
                                                  options.sample, options.start_at_key_frame);
  split::ProposeOptions propose;
  propose.cores = static_cast<int>(allowed_cpus().size());
  propose.run = !options.no_run;
  propose.least_edges = options.least_edges;
  check_board(options);
  std::optional<gates::EnergyMeter> meter;
  set_aim(options, meter, propose);
  read_costs(options, 0, propose);
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
  write_proposal(options, file, proposal, split::to_text(proposal));
  if (installation) installation->write(proposal, options);
}

}  // namespace

void add_split_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("split",
                                               "Predict and measure the speed of VP9 stage plans "
                                               "(CPU or QPU for each stage), and propose one");
  const auto options = std::make_shared<SplitOptions>();
  command
      ->add_option("stream", options->inputs,
                   "VP9 in IVF, WebM or another container. Several clips ask how many streams fit "
                   "at --fps pictures per second")
      ->required();
  command
      ->add_option("--streams", options->streams,
                   "Play the clip this many times at once: how many streams fit at --fps?")
      ->check(CLI::Range(std::size_t{1}, split::kMaxStreams));
  command->add_option("--results", options->results,
                      "Files that gate --json wrote on this board (M3, M4 and M5 of the loop "
                      "filters): source of the QPU's costs. With --model FILE: files from the "
                      "modelled board (M3), source of the CPU's costs");
  CLI::Option* const model = command->add_option(
      "--model", options->model,
      "pi4 or pi5: model CPU and QPU of that Raspberry Pi and measure nothing (needs --pictures). "
      "Or a file that scripts/v3dsim-picture --json wrote for this stream: model only the QPU's "
      "costs");
  command
      ->add_option(
          "--pictures", options->pictures,
          "With --model pi4 or pi5: file that scripts/v3dsim-picture --back-end --json wrote for "
          "this stream, once per clip; scripts/split makes it for one clip")
      ->allow_extra_args(false);
  command
      ->add_option("--least-edges", options->least_edges,
                   "N of the plan loop_filter=divided:N: the QPU filters dependency levels of at "
                   "least N edges (default: as many as NEON filters in the time of one dispatch)")
      ->check(cli::at_least_one());
  command
      ->add_option("--threads", options->threads,
                   "Largest number of threads of a plan (default: one per core)")
      ->check(CLI::Range(1, kMaxThreads));
  command
      ->add_flag("--start-at-key-frame", options->start_at_key_frame,
                 "Skip packets before the first key frame, and damaged packets up to the next key "
                 "frame, instead of ending there")
      // --start-at-key-frame excludes --model, because the simulator reads all packets from the
      // first.
      ->excludes(model);
  command->add_option("--packets", options->packets, "Read at most this many packets of the stream")
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
                   "Picture rate for --for cpu, --for energy and several streams, in pictures per "
                   "second")
      ->check(CLI::Range(0.1, 1000.0));
  command->add_option("--json", options->json,
                      "File for the proposal as JSON; - is standard output");
  CLI::Option* const install = command->add_flag(
      "--install", options->install,
      "Write the plan that ran best, among those that players accept, and its number of "
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
