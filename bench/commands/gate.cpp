// `sidecore gate`: the gates M1 to M5 over the kernels of this build.
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

/// Options as they are typed.
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
  double fps = 0;  // 0: none
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
    throw usage_error("--threads {}: only {} CPUs may be used here", asked, available);
  }
  return asked > 0 ? asked : available;
}

/// Shorter windows and fewer repetitions: a look, not a measurement. M1 stays as thorough.
void shorten(const GateArguments& arguments, gates::GateOptions& options) {
  if (!arguments.window_given) options.window = Nanoseconds(250'000'000);
  options.repetitions = 7;
  options.empty_repetitions = 51;
}

/// The words of lists that commas divide. An empty word stays one, for who looks it up to refuse.
std::vector<std::string> words_of(const std::vector<std::string>& lists) {
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
    for (const std::string& gate : words_of(arguments.gates)) {
      options.gates.insert(gates::parse_gate(gate));
    }
  }
  options.variants = words_of(arguments.variants);
  const std::vector<std::string> contents = words_of(arguments.contents);
  for (const std::string& content : contents) {
    if (content != "all") options.contents.push_back(gates::parse_content(content));
  }
  if (is_all(contents)) {
    options.contents = gates::synthetic_contents();
    if (!arguments.input.empty()) options.contents.push_back(gates::Content::input);
  }
  if (arguments.input == "-") {
    throw usage_error("--input must be a file: the gates read it several times");
  }
  if (arguments.frames > 0 && arguments.input.empty()) {
    throw usage_error("--frames counts pictures of a clip: give --input");
  }
  options.input = arguments.input;
  if (arguments.frames > 0) options.frames = arguments.frames;
  options.start_at_key_frame = arguments.start_at_key_frame;
  if (arguments.start_at_key_frame && arguments.input.empty()) {
    throw usage_error("--start-at-key-frame is for packets of a clip: give --input");
  }
  if (arguments.fps > 0) {
    if (arguments.input.empty()) {
      throw usage_error("--fps is the rate at which a clip is played: give --input");
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

/// Whether there is something for whole decoders, which M4 alone plays, on a clip alone.
bool plays_decoders(const gates::GateOptions& options) {
  const std::vector<gates::Content> contents = window_contents_of(options);
  return options.gates.contains(gates::Gate::m4) &&
         std::ranges::find(contents, gates::Content::input) != contents.end();
}

std::vector<const gates::Kernel*> kernels_of(const std::vector<std::string>& names,
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

/// Whether a clip has work for the kernel. Other pictures are taken to have, and looked at by M4.
bool suits(const gates::Kernel& kernel, const gates::GateOptions& options) {
  if (options.input.empty() || !options.gates.contains(gates::Gate::m4)) return true;
  try {
    std::vector<std::string> left_out;
    return !gates::suited_kernels(std::array{&kernel}, options, left_out).empty();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return false;
  }
}

/// Of mixed jobs. Without a name the kernel's partner; where that has nothing to do, as inter
/// prediction in a clip of intra frames, the first one of another stage that has.
const gates::Kernel* beside_of(const gates::Kernel& kernel, const std::string& named,
                               const gates::GateOptions& options) {
  if (!named.empty()) {
    const gates::Kernel& beside = bench::find_kernel(named);
    if (&beside == &kernel) {
      throw usage_error("--beside {} is the kernel under test: a mixed job needs another one",
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
      others, [&](const gates::Kernel* other) { return suits(*other, options); });
  if (found != others.end()) return *found;
  return others.empty() ? nullptr : others.front();  // which the gates refuse with a reason
}

/// A machine without a device can still hold NEON against the scalar code; one that was asked for
/// by name must be there.
Outcome<std::unique_ptr<qpu::Device>> open_device(const GateArguments& arguments) {
  using Opened = Outcome<std::unique_ptr<qpu::Device>>;
  qpu::DeviceOptions options = qpu::DeviceOptions::from_environment();
  options.selector = arguments.device;
  options.shader_directory = arguments.shader_directory;
  try {
    return Opened{qpu::Device::open(options)};
  } catch (const Error& error) {
    const bool tolerable = error.kind() == ErrorKind::environment && arguments.device.empty();
    if (!tolerable) throw;
    return Opened::none(error.what());
  }
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
                "M4 failed: a player's pictures differ from the scalar decoder's");
  }
}

/// The gates as the simulator's timing model has them of a board.
void run_modelled(const GateArguments& arguments, const gates::GateOptions& options) {
  const std::optional<shaderdb::SimulatorRecords> records = shaderdb::SimulatorRecords::find();
  if (!records) {
    throw environment_error(
        "--model needs the simulated V3D, which counts: build sidecore for 64-bit ARM, and run it "
        "by scripts/v3dsim --v3d {}",
        model::v3d_of(*model::board_of(arguments.model)));
  }
  qpu::DeviceOptions device_options = qpu::DeviceOptions::from_environment();
  device_options.shader_directory = arguments.shader_directory;
  // The simulator must see every program compiled.
  device_options.pipeline_cache = false;
  std::optional<AtomicFile> json;
  if (!arguments.json.empty()) json.emplace(arguments.json);
  const std::unique_ptr<qpu::Device> device = qpu::Device::open(device_options);
  const auto print = [&](std::string_view text) { cli::print_beside(arguments.json, text); };
  model::ModelledReport report{cli::command_line(), {}};
  for (const gates::Kernel* kernel : kernels_of(arguments.kernels, options)) {
    if (only_plays(*kernel)) {
      print(fmt::format("{} is played, and players are not modelled\n\n", kernel->name));
      continue;
    }
    if (const std::string reason = gates::refusal_of_qpu(*kernel); !reason.empty()) {
      print(fmt::format("{}: nothing to model\n\n", reason));
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
  setting.kernels = kernels_of(arguments.kernels, options);
  for (const gates::Kernel* kernel : setting.kernels) {
    setting.beside.push_back(beside_of(*kernel, arguments.beside, options));
  }
  // Opened before the work: a path that cannot be written must not cost the minutes first.
  std::unique_ptr<AtomicFile> json;
  if (!arguments.json.empty()) json = std::make_unique<AtomicFile>(arguments.json);
  const Outcome<std::unique_ptr<qpu::Device>> device = open_device(arguments);
  setting.device.reason = device.reason;
  if (device) setting.device.value = device->get();
  gates::GateReport report = gates::run_gates(setting, options);
  report.command_line = cli::command_line();
  if (json != nullptr) {
    json->write(gates::to_json(report));
    json->commit();
  }
  // After the file, which does not depend on whether anybody can read the text.
  cli::print_beside(arguments.json, gates::to_text(report));
  refuse_differences(report);
  if (!report.throttled.empty()) {
    throw environment_error("the figures are void, the board throttled: {}", report.throttled);
  }
}

}  // namespace

void add_gate_command(CLI::App& app) {
  auto arguments = std::make_shared<GateArguments>();
  CLI::App* command = app.add_subcommand(
      "gate",
      "Judge kernels: are they right, how fast are they, does the QPU pay? (gates M1 to M5)");
  command
      ->add_option(
          "kernels", arguments->kernels,
          "Names of kernels, or all; vp9_back_end is the whole VP9 decoder, which M4 plays")
      ->required();
  command->add_option("--gates", arguments->gates, "Run only these (default: m1,m2,m3,m4,m5)");
  command->add_option("--device", arguments->device,
                      "Device: index, type (gpu, cpu ...), or part of its name");
  command->add_option("--variant", arguments->variants,
                      "QPU variants by name, or all (default: all but baselines)");
  command->add_option(
      "--content", arguments->contents,
      "What to work on: random, smooth, flat, high_variance, input, or all (default: all "
      "for M1 to M3; for M4 the clip, or smooth without one)");
  command->add_option(
      "--input", arguments->input,
      "Clip whose pictures to work on. Stages of the VP9 decoder take a VP9 stream's own edges and "
      "blocks, with the samples that they meet there; of any other clip the pictures");
  command
      ->add_option("--frames", arguments->frames,
                   "Use at most this many pictures of the clip (stages of the decoder: frames, "
                   "hidden ones too)")
      ->check(cli::at_least_one());
  command->add_flag("--start-at-key-frame", arguments->start_at_key_frame,
                    "Leave out packets of a VP9 clip before the first key frame, and damaged "
                    "packets with what is before the next one, instead of ending there");
  CLI::Option* size =
      command->add_option("--size", arguments->size, "WIDTHxHEIGHT of synthetic pictures")
          ->capture_default_str();
  command
      ->add_option("--level", arguments->level, "Loop filters: level, where no VP9 stream gives it")
      ->check(CLI::Range(1, 63))
      ->capture_default_str();
  command
      ->add_option("--sharpness", arguments->sharpness,
                   "Loop filters: sharpness, where no VP9 stream gives it")
      ->check(CLI::Range(0, 7))
      ->capture_default_str();
  CLI::Option* seed = command->add_option(
      "--seed", arguments->seed, "Seed of the first workload (default: a new one, printed)");
  command->add_option("--threads", arguments->threads, "NEON threads (default: one for each CPU)")
      ->check(cli::at_least_one());
  CLI::Option* window = command
                            ->add_option("--window", arguments->window,
                                         "M4: seconds that a configuration runs in each round")
                            ->check(CLI::Range(0.001, 3600.0))
                            ->capture_default_str();
  command->add_option("--rounds", arguments->rounds, "M4: how often each configuration runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--fps", arguments->fps,
                   "M4: play the clip at this many pictures a second too: CPU time a picture, "
                   "missed deadlines, latency, energy where a sensor tells")
      ->check(CLI::Range(0.1, 1000.0));
  command->add_flag("--quick", arguments->quick,
                    "Short windows and few repetitions: a look, not a measurement");
  command->add_option("--beside", arguments->beside,
                      "M4: the other kernel of mixed jobs (default: what a decoder's CPU does "
                      "beside this one)");
  command->add_option("--shader-dir", arguments->shader_directory,
                      "Directory of NAME.spv files that replace built-in shaders");
  command->add_option("--json", arguments->json, "Result file; - is standard output");
  command
      ->add_option("--model", arguments->model,
                   "pi4 or pi5: what M2 to M5 would say of that board by timing models of its QPU, "
                   "its CPU and their memory; nothing is measured, and nothing judged (needs "
                   "scripts/v3dsim)")
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
