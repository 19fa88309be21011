// `sidecore gate`: runs the gates M1 to M5 on the kernels of this build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/progress.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "commands/commands.h"
#include "gates/result_document.h"
#include "gates/run.h"
#include "kernels/registry.h"
#include "model/board_model.h"
#include "model/modelled_gates.h"

namespace sidecore::commands {
namespace {

/// Values of the options as given on the command line.
struct GateArguments {
  std::vector<std::string> kernels;
  std::vector<std::string> gates;
  std::string device;
  std::vector<std::string> variants;
  std::vector<std::string> contents;
  std::string input;
  std::size_t frames = 0;
  bool start_at_key_frame = false;
  std::string size = "1920x1080";
  bool size_given = false;
  int level = 32;
  int sharpness = 0;
  std::uint64_t seed = 0;
  bool seed_given = false;
  int threads = 0;
  double window = 8;
  bool window_given = false;
  double fps = 0;  // picture rate in pictures per second; 0 if --fps was not given
  int rounds = 3;
  bool quick = false;
  std::string beside;
  std::string shader_directory;
  std::string json;
  std::string model;
};

bool is_all(const std::vector<std::string>& names) {
  return std::ranges::find(names, "all") != names.end();
}

int thread_count(int asked) {
  const int available = static_cast<int>(allowed_cpus().size());
  if (asked > available) {
    throw usage_error("--threads {}: this process may use only {} CPUs", asked, available);
  }
  return asked > 0 ? asked : available;
}

/// Sets shorter time windows and fewer repetitions, for a quick look. M1 is not shortened.
void shorten(const GateArguments& arguments, gates::GateOptions& options) {
  if (!arguments.window_given) options.window = Nanoseconds(250'000'000);
  options.repetitions = 7;
  options.empty_repetitions = 51;
}

/// Returns the words of comma-separated lists. Empty words are kept, so that parsing rejects them.
std::vector<std::string> split_at_commas(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists) {
    std::size_t begin = 0;
    std::size_t comma = list.find(',');
    for (; comma != std::string::npos; comma = list.find(',', begin)) {
      words.push_back(list.substr(begin, comma - begin));
      begin = comma + 1;
    }
    words.push_back(list.substr(begin));
  }
  return words;
}

gates::GateOptions options_of(const GateArguments& arguments) {
  gates::GateOptions options;
  if (!arguments.gates.empty()) {
    options.gates.clear();
    options.gates_named = true;
    for (const std::string& gate : split_at_commas(arguments.gates)) {
      options.gates.insert(gates::parse_gate(gate));
    }
  }
  options.variants = split_at_commas(arguments.variants);
  const std::vector<std::string> contents = split_at_commas(arguments.contents);
  for (const std::string& content : contents) {
    if (content != "all") options.contents.push_back(gates::parse_content(content));
  }
  if (is_all(contents)) {
    options.contents = gates::synthetic_contents();
    if (!arguments.input.empty()) options.contents.push_back(gates::Content::input);
  }
  if (arguments.input == "-") {
    throw usage_error("--input must be a file, because the gates read it several times");
  }
  if (arguments.frames > 0 && arguments.input.empty()) {
    throw usage_error("--frames limits the pictures of a clip: give the clip with --input");
  }
  options.input = arguments.input;
  if (arguments.frames > 0) options.frames = arguments.frames;
  options.start_at_key_frame = arguments.start_at_key_frame;
  if (arguments.start_at_key_frame && arguments.input.empty()) {
    throw usage_error("--start-at-key-frame needs a clip: give it with --input");
  }
  if (arguments.fps > 0) {
    if (arguments.input.empty()) {
      throw usage_error(
          "--fps is the picture rate at which a clip is played: give the clip with --input");
    }
    options.fps = arguments.fps;
  }
  const cli::PictureSize size = cli::parse_size(arguments.size);
  options.width = size.width;
  options.height = size.height;
  options.size_named = arguments.size_given;
  options.filter_level = arguments.level;
  options.sharpness = arguments.sharpness;
  options.seed = arguments.seed_given ? arguments.seed : std::random_device{}();
  options.threads = thread_count(arguments.threads);
  options.window =
      std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(arguments.window));
  options.rounds = arguments.rounds;
  if (arguments.quick) shorten(arguments, options);
  return options;
}

/// Returns true if whole decoders have work: only M4 runs them, and only on a clip.
bool plays_decoders(const gates::GateOptions& options) {
  const std::vector<gates::Content> contents = m4_contents(options);
  return options.gates.contains(gates::Gate::m4) &&
         std::ranges::find(contents, gates::Content::input) != contents.end();
}

std::vector<const gates::Kernel*> select_kernels(const std::vector<std::string>& names,
                                                 const gates::GateOptions& options) {
  std::vector<const gates::Kernel*> kernels;
  if (is_all(names)) {
    for (const gates::Kernel& kernel : bench::kernels()) kernels.push_back(&kernel);
    if (plays_decoders(options)) {
      for (const gates::Kernel& decoder : bench::decoders()) kernels.push_back(&decoder);
    }
    if (options.input.empty() && !options.size_named) return kernels;
    std::vector<std::string> left_out;
    kernels = gates::suited_kernels(kernels, options, left_out);
    for (const std::string& why : left_out) print_remark(fmt::format("left out: {}\n", why));
    return kernels;
  }
  kernels.reserve(names.size());
  for (const std::string& name : names) kernels.push_back(&bench::find_kernel_or_decoder(name));
  return kernels;
}

/// Returns true if the clip has work for the kernel. Checks only if there is a clip and M4 runs;
/// otherwise returns true.
bool has_work_for(const gates::Kernel& kernel, const gates::GateOptions& options) {
  if (options.input.empty() || !options.gates.contains(gates::Gate::m4)) return true;
  try {
    std::vector<std::string> left_out;
    return !gates::suited_kernels(std::array{&kernel}, options, left_out).empty();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return false;
  }
}

/// Chooses the companion kernel of mixed jobs: the kernel that is `named`, otherwise the kernel's
/// partner. If the clip has no work for the partner (inter prediction in a clip of intra frames),
/// chooses the first kernel of another stage that has work.
const gates::Kernel* choose_companion_kernel(const gates::Kernel& kernel, const std::string& named,
                                             const gates::GateOptions& options) {
  if (!named.empty()) {
    const gates::Kernel& beside = bench::find_kernel(named);
    if (&beside == &kernel) {
      throw usage_error("--beside {} is the kernel under test: mixed jobs need another kernel",
                        named);
    }
    return &beside;
  }
  std::vector<const gates::Kernel*> others;
  if (!kernel.partner.empty()) others.push_back(&bench::find_kernel(kernel.partner));
  for (const gates::Kernel& other : bench::kernels()) {
    const bool of_its_stage =
        !kernel.player_stage.empty() && other.player_stage == kernel.player_stage;
    if (&other != &kernel && !of_its_stage) others.push_back(&other);
  }
  const auto found = std::ranges::find_if(
      others, [&](const gates::Kernel* other) { return has_work_for(*other, options); });
  if (found != others.end()) return *found;
  return others.empty() ? nullptr : others.front();  // the gates reject this kernel and say why
}

void refuse_differences(const gates::GateReport& report) {
  for (const gates::KernelReport& kernel : report.kernels) {
    if (kernel.m1 && !kernel.m1->holds()) {
      throw Error(ErrorKind::failed,
                  "M1 failed: an implementation differs from the scalar definition");
    }
  }
  if (!report.agrees()) {
    throw Error(ErrorKind::failed,
                "M4 failed: pictures of a playback test differ from the scalar decoder's");
  }
}

/// Runs the gates of a board by timing models.
void run_modelled(const GateArguments& arguments, const gates::GateOptions& options) {
  const std::optional<shaderdb::SimulatorRecords> records = shaderdb::SimulatorRecords::find();
  if (!records) {
    throw environment_error(
        "--model needs the counts of the simulated V3D: build sidecore for 64-bit ARM, and run it "
        "with scripts/v3dsim --v3d {}",
        model::v3d_of(*model::board_of(arguments.model)));
  }
  qpu::DeviceOptions device_options = qpu::DeviceOptions::from_environment();
  device_options.shader_directory = arguments.shader_directory;
  // The pipeline cache is off, so that every program is compiled and the simulator sees its code.
  device_options.pipeline_cache = false;
  std::optional<AtomicFile> json;
  if (!arguments.json.empty()) json.emplace(arguments.json);
  const std::unique_ptr<qpu::Device> device = qpu::Device::open(device_options);
  const auto print = [&](std::string_view text) { cli::print_text(arguments.json, text); };
  model::ModelledReport report{cli::command_line(), {}};
  for (const gates::Kernel* kernel : select_kernels(arguments.kernels, options)) {
    if (is_whole_decoder(*kernel)) {
      print(
          fmt::format("{}: not modelled, because it is a whole decoder: M4 plays it, and no other "
                      "gate runs it\n\n",
                      kernel->name));
      continue;
    }
    if (const std::string reason = gates::refusal_of_qpu(*kernel); !reason.empty()) {
      print(fmt::format("{}, so there is nothing to model\n\n", reason));
      continue;
    }
    report.kernels.push_back(
        model::model_gates(*kernel, options, arguments.model, *device, *records));
    print(model::to_text(report.kernels.back()) + "\n");
  }
  if (!json) return;
  json->write(model::to_json(report));
  json->commit();
}

void run(const GateArguments& arguments) {
  const gates::GateOptions options = options_of(arguments);
  if (!arguments.model.empty()) return run_modelled(arguments, options);
  gates::RunSetting setting;
  setting.kernels = select_kernels(arguments.kernels, options);
  for (const gates::Kernel* kernel : setting.kernels) {
    setting.beside.push_back(choose_companion_kernel(*kernel, arguments.beside, options));
  }
  // The file is opened first, so that a path that cannot be written fails before minutes of work.
  std::unique_ptr<AtomicFile> json;
  if (!arguments.json.empty()) json = std::make_unique<AtomicFile>(arguments.json);
  qpu::DeviceOptions device_options = qpu::DeviceOptions::from_environment();
  device_options.selector = arguments.device;
  device_options.shader_directory = arguments.shader_directory;
  // A missing device is no error here, because NEON can be compared with scalar code without one.
  const Outcome<std::unique_ptr<qpu::Device>> device = open_device(device_options);
  setting.device.reason = device.reason;
  if (device) setting.device.value = device->get();
  gates::GateReport report = gates::run_gates(setting, options);
  report.command_line = cli::command_line();
  if (json != nullptr) {
    json->write(gates::to_json(report));
    json->commit();
  }
  // The text is printed after the file is written, because the file must be complete even if
  // standard output is closed.
  cli::print_text(arguments.json, gates::to_text(report));
  refuse_differences(report);
  if (!report.throttled.empty()) {
    throw environment_error("the figures are void because the board throttled: {}",
                            report.throttled);
  }
}

}  // namespace

void add_gate_command(CLI::App& app) {
  auto arguments = std::make_shared<GateArguments>();
  CLI::App* command = app.add_subcommand(
      "gate", "Judge kernels with gates M1 to M5: correctness, speed, and whether the QPU pays");
  command
      ->add_option("kernels", arguments->kernels,
                   "Names of kernels, or all; vp9_back_end is the whole VP9 decoder, for M4 only")
      ->required();
  command->add_option("--gates", arguments->gates,
                      "Gates to run, separated by commas (default: m1,m2,m3,m4,m5)");
  command->add_option("--device", arguments->device,
                      "Device: index, type (gpu, cpu ...), or part of its name");
  command->add_option("--variant", arguments->variants,
                      "Names of QPU variants, or all (default: all except baselines)");
  command->add_option(
      "--content", arguments->contents,
      "Test contents: random, smooth, flat, high_variance, input (the clip), or all. Default: all "
      "for M1 to M3; for M4 input, or smooth if there is no clip");
  command->add_option("--input", arguments->input,
                      "Clip to work on. Kernels of VP9 stages use the edges, blocks and samples of "
                      "a VP9 stream; of "
                      "any other clip, and for metrics, its pictures are used");
  command
      ->add_option("--frames", arguments->frames,
                   "Use at most this many pictures of the clip (for stages of the decoder: frames, "
                   "shown or hidden)")
      ->check(cli::at_least_one());
  command->add_flag("--start-at-key-frame", arguments->start_at_key_frame,
                    "Skip packets of a VP9 clip before the first key frame, and damaged packets up "
                    "to the next key frame, instead of ending there");
  CLI::Option* size =
      command
          ->add_option("--size", arguments->size, "WIDTHxHEIGHT of synthetic pictures, in samples")
          ->capture_default_str();
  command
      ->add_option("--level", arguments->level,
                   "Loop filters: filter level, if no VP9 stream gives it")
      ->check(CLI::Range(1, 63))
      ->capture_default_str();
  command
      ->add_option("--sharpness", arguments->sharpness,
                   "Loop filters: sharpness, if no VP9 stream gives it")
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  CLI::Option* seed =
      command->add_option("--seed", arguments->seed,
                          "Seed of the first workload (default: a random one, which is printed)");
  command
      ->add_option("--threads", arguments->threads, "Number of NEON threads (default: one per CPU)")
      ->check(cli::at_least_one());
  CLI::Option* window =
      command->add_option("--window", arguments->window, "M4: length of a time window in seconds")
          ->check(CLI::Range(0.001, 3600.0))
          ->capture_default_str();
  command->add_option("--rounds", arguments->rounds, "M4: number of time windows per configuration")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--fps", arguments->fps,
                   "M4: also play the clip at this many pictures per second, for CPU time per "
                   "picture, missed deadlines, latency, and energy if there is a sensor")
      ->check(CLI::Range(0.1, 1000.0));
  command->add_flag(
      "--quick", arguments->quick,
      "Short time windows and few repetitions, for a quick look instead of a measurement");
  command->add_option("--beside", arguments->beside,
                      "M4: the other kernel of mixed jobs (default: a kernel that the CPU of a "
                      "decoder runs beside this one)");
  command->add_option("--shader-dir", arguments->shader_directory,
                      "Directory of NAME.spv files that replace built-in shaders");
  command->add_option("--json", arguments->json,
                      "File for the result as JSON; - is standard output");
  command
      ->add_option(
          "--model", arguments->model,
          "pi4 or pi5: compute M2 to M5 of that board with timing models of its QPU, CPU "
          "and memory. Nothing is measured, and there is no verdict (needs scripts/v3dsim)")
      ->check(CLI::IsMember({"pi4", "pi5"}))
      ->excludes("--gates")
      ->excludes("--device")
      ->excludes("--fps");
  command->callback([arguments, seed, size, window] {
    arguments->seed_given = seed->count() > 0;
    arguments->size_given = size->count() > 0;
    arguments->window_given = window->count() > 0;
    run(*arguments);
  });
}

}  // namespace sidecore::commands
