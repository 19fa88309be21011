// sidecore decode: decodes VP9 streams to pictures or to their checksums.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/decode_output.h"
#include "cli/decode_scaling.h"
#include "cli/decode_statistics.h"
#include "cli/frame_numbers.h"
#include "libav/open.h"
#include "neon/vp9/dsp.h"
#include "qpu/vp9/back_end.h"
#include "video/packet_source.h"
#include "vp9/decoder.h"
#include "vp9/packet_decoder.h"
#include "vp9/plan.h"

namespace sidecore::cli {
namespace {

struct DecodeOptions {
  std::string input;
  std::optional<std::string> output;
  bool md5 = false;
  bool framemd5 = false;
  bool statistics = false;
  std::optional<std::string> json;
  std::optional<int> scaling;  ///< number of runs with each number of threads
  bool quiet = false;
  std::optional<std::uint64_t> frames;
  int threads = default_threads();
  bool low_delay = false;
  bool last_layer = false;
  bool start_at_key_frame = false;
  std::int64_t max_pixels = vp9::kMaxLumaSamplesOfAnyLevel;
  std::optional<std::string> plan;
  std::optional<std::string> loop_filter;
  std::optional<std::size_t> least_edges;
  std::optional<std::string> schedule;
  std::string device;
};

/// Returns the stage plan of --plan. Without --plan, converts the older options for the loop
/// filter, and prints the --plan that replaces them.
vp9::Plan plan_of(const DecodeOptions& options) {
  if (options.plan) return vp9::Plan::parse(*options.plan);
  if (!options.loop_filter && !options.schedule && !options.least_edges) {
    return vp9::make_single_stage_plan(vp9::Stage::loop_filter, vp9::Processor::neon);
  }
  const std::string filter = options.loop_filter.value_or("neon");
  std::string text = filter;
  if (filter == "qpu" || filter == "split") {
    text = filter == "qpu" ? "loop_filter=qpu" : "loop_filter=divided";
    if (options.schedule == "waves") {
      text += ":waves";
    } else if (options.least_edges && filter == "split") {
      text += fmt::format(":{}", *options.least_edges);
    }
  }
  print_remark(fmt::format(
      "--loop-filter, --schedule and --least-edges are deprecated: use --plan {}\n", text));
  return vp9::Plan::parse(text);
}

/// Sets the kernels and the back end of `plan` in `decoder`. Returns the opened device; null if the
/// plan does not use the QPU. The device and `tables` must outlive the decoder.
std::unique_ptr<qpu::Device> follow_plan(const DecodeOptions& options, const vp9::Plan& plan,
                                         vp9::DspTables& tables, vp9::DecoderOptions& decoder) {
  tables = vp9::tables_of(plan, neon::vp9_dsp());
  decoder.dsp = &tables;
  if (!plan.uses_qpu()) return nullptr;
  qpu::DeviceOptions device = qpu::DeviceOptions::from_environment();
  device.selector = options.device;
  std::unique_ptr<qpu::Device> opened = qpu::Device::open(device);
  decoder.back_end = qpu::make_back_end(*opened, plan);
  return opened;
}

std::unique_ptr<DecodeOutput> make_output(const DecodeOptions& options,
                                          const video::PacketSource& source) {
  const video::FrameRate rate = source.frame_rate();
  const video::Description container = source.description();
  if (options.md5) return make_md5_output(options.output.value_or("-"));
  if (options.framemd5) return make_framemd5_output(options.output.value_or("-"), rate, container);
  if (!options.output) return make_no_output();
  return make_picture_output(*options.output, rate, container);
}

std::optional<AtomicFile> open_json(const DecodeOptions& options, const DecodeOutput& output) {
  if (!options.json) return std::nullopt;
  if (is_standard_output(*options.json) && output.on_standard_output()) {
    throw usage_error("frames and --json cannot both go to standard output: name a file for one");
  }
  return AtomicFile(*options.json);
}

/// Prints the statistics on standard error if --stats asks for them, and writes the JSON document.
void write_statistics(const DecodeOptions& options, const DecodeRun& run,
                      const DecodeObserver& observer, std::optional<AtomicFile>& json) {
  if (options.statistics) print_remark(to_text(run, observer));
  if (!json) return;
  json->write(to_json(run, observer));
  json->commit();
}

void run_scaling(const DecodeOptions& options) {
  const vp9::Plan plan = plan_of(options);
  if (plan.uses_qpu()) throw usage_error("--scaling cannot measure a plan that uses the QPU");
  const auto source = libav::open_packets(options.input);
  vp9::DecoderOptions decoder;
  decoder.stream = source->name();
  decoder.threads = options.threads;
  decoder.low_delay = options.low_delay;
  decoder.max_luma_samples = options.max_pixels;
  vp9::DspTables tables;
  follow_plan(options, plan, tables, decoder);
  fmt::print("{}", scaling_table(*source, decoder, *options.scaling));
}

void run_decode(const DecodeOptions& options) {
  if (options.scaling) return run_scaling(options);
  const vp9::Plan plan = plan_of(options);
  const auto source = libav::open_packets(options.input);
  const auto output = make_output(options, *source);
  std::optional<AtomicFile> json = open_json(options, *output);
  DecodeRun run;
  run.stream = options.input;
  run.plan = plan;
  run.threads = options.threads;
  std::unique_ptr<qpu::Device> device;
  vp9::DspTables tables;
  vp9::DecoderOptions decoder_options;
  decoder_options.stream = source->name();
  decoder_options.threads = options.threads;
  // Low delay is used after damage, because otherwise the number of lost frames would depend on the
  // frames in flight.
  decoder_options.low_delay = options.low_delay || options.start_at_key_frame;
  decoder_options.last_of_packet = options.last_layer;
  decoder_options.max_luma_samples = options.max_pixels;
  device = follow_plan(options, plan, tables, decoder_options);
  if (device != nullptr) run.device = device->info().name;
  DecodeObserver observer;
  const bool observed = options.statistics || json;
  if (observed) observer.watch(decoder_options);
  // Packets of the stream, kept only for the observer.
  std::vector<std::vector<std::uint8_t>> packets;
  vp9::Decoder decoder(decoder_options);
  std::optional<Progress> progress;
  if (!options.quiet)
    progress.emplace("decode", options.frames ? options.frames : source->packets());
  const Clock::time_point start = Clock::now();
  std::uint64_t shown = 0;
  bool writing = false;
  const auto enough = [&] { return options.frames && shown >= *options.frames; };
  FrameNumbers numbers(source->frame_rate(), source->ticks());
  const vp9::PacketDecoder::Show show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame,
                                            std::optional<std::int64_t> time_stamp) {
    if (enough()) return;
    const Clock::time_point begin = Clock::now();
    writing = true;
    output->write(*frame, numbers.next(time_stamp));
    writing = false;
    run.output += Clock::now() - begin;
    ++shown;
    if (progress) progress->update(shown);
  };
  vp9::PacketDecoder decoding(*source, decoder, show, options.start_at_key_frame);
  try {
    while (!enough() && decoding.next()) {
      if (observed) packets.push_back(decoding.packet().bytes);
    }
    if (!enough()) decoding.finish();
  } catch (const Error& damage) {
    if (damage.kind() == ErrorKind::usage && !writing && shown > 0) output->finish_part();
    throw;
  }
  if (shown == 0) throw usage_error("{}: the stream shows no frame", source->name());
  const Clock::time_point begin = Clock::now();
  output->finish();
  run.output += Clock::now() - begin;
  run.total = Clock::now() - start;
  run.decoder = decoder.statistics();
  run.back_end = decoder.back_end_statistics();
  progress.reset();
  if (decoding.left_out() > 0) {
    print_remark(fmt::format("{} packets were damaged, or were left out before a key frame\n",
                             decoding.left_out()));
  }
  const bool prints_json = options.json && is_standard_output(*options.json);
  if (!options.quiet && !output->on_standard_output() && !prints_json) {
    fmt::print("{} frames, {:.1f} frames/s\n", shown,
               static_cast<double>(shown) / seconds(run.total));
  }
  if (observed) observer.survey(packets, run.decoder.frames);
  write_statistics(options, run, observer, json);
}

}  // namespace

void add_decode_command(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("decode", "Decode a VP9 stream");
  const auto options = std::make_shared<DecodeOptions>();
  command
      ->add_option("input", options->input,
                   "VP9 in IVF, WebM or another container; - is standard input")
      ->required();
  CLI::OptionDefaults& defaults = *command->option_defaults();
  defaults.group("Output");
  command->add_option(
      "-o,--output", options->output,
      "Picture file, .y4m or .yuv, or a text file for --md5 or --framemd5; - is standard output");
  CLI::Option* const md5 =
      command->add_flag("--md5", options->md5, "Print one MD5 of all pictures' samples");
  command->add_flag("--framemd5", options->framemd5, "Print each picture's MD5, as FFmpeg does")
      ->excludes(md5);
  command->add_flag("-q,--quiet", options->quiet, "Print no progress line and no summary");
  defaults.group("Frames and threads");
  command->add_option("--frames", options->frames, "Stop after this many shown frames")
      ->check(at_least_one());
  command
      ->add_option("--threads", options->threads,
                   "Number of decoding threads, 1 to 256 (default: one per CPU)")
      ->check(CLI::Range(1, kMaxThreads));
  command->add_flag("--low-delay", options->low_delay,
                    "Show the frames of a packet before reading the next one (otherwise several "
                    "threads work on several frames)");
  command->add_flag("--start-at-key-frame", options->start_at_key_frame,
                    "Skip frames before the first key frame, and after damage up to the next key "
                    "frame, instead of stopping with an error; implies --low-delay");
  command->add_flag(
      "--last-layer", options->last_layer,
      "Show only the last frame of each packet, which is the largest of spatial layers "
      "(otherwise every frame that the stream shows)");
  command
      ->add_option(
          "--max-pixels", options->max_pixels,
          "Reject frames with more luma samples than this (default: the limit of VP9's top level)")
      ->check(at_least_one())
      ->capture_default_str();
  defaults.group("Stage plan");
  CLI::Option* const plan = command->add_option(
      "--plan", options->plan,
      "Processor of each pixel stage: scalar, neon, qpu or divided, for all stages or by stage, as "
      "in prediction=divided,residual=neon,intra=qpu,loop_filter=qpu (NEON runs the others). "
      "divided: QPU and NEON share the stage's rows of superblocks in proportion to their rates. "
      "loop_filter=divided:N: the QPU filters luma's dependency levels of at least N edges "
      "(default 1024). loop_filter=qpu:waves: filter by superblock waves instead of levels");
  command->add_option("--device", options->device,
                      "Vulkan device for the QPU's stages: index, type, or part of its name");
  defaults.group("Deprecated");
  constexpr const char* kDeprecated =
      "Older option for the loop filter; prints the --plan to use instead";
  command->add_option("--loop-filter", options->loop_filter, kDeprecated)
      ->check(CLI::IsMember({"scalar", "neon", "qpu", "split"}));
  command->add_option("--least-edges", options->least_edges, kDeprecated)->check(at_least_one());
  command->add_option("--schedule", options->schedule, kDeprecated)
      ->check(CLI::IsMember({"levels", "waves"}));
  for (const char* const filter : {"--loop-filter", "--least-edges", "--schedule"}) {
    plan->excludes(command->get_option(filter));
  }
  defaults.group("Measurement");
  command->add_flag(
      "--stats", options->statistics,
      "Print the time of each stage, and the numbers of edges by filter branch, to standard error");
  command->add_option("--json", options->json,
                      "JSON file for the figures of --stats; - is standard output");
  CLI::Option* const scaling =
      command
          ->add_option("--scaling", options->scaling,
                       "Decode from memory without output, and measure the time: this many runs "
                       "with each of 1, 2, 3, 4, 6, 8 ... "
                       "threads up to --threads, interleaved, and print median times")
          ->check(at_least_one());
  for (const char* const output : {"--output", "--md5", "--framemd5", "--frames", "--stats",
                                   "--json", "--last-layer", "--start-at-key-frame"}) {
    scaling->excludes(command->get_option(output));
  }
  command->footer("Example: sidecore decode build/demo/distorted.webm -o distorted.y4m --stats");
  command->callback([options] { run_decode(*options); });
}

}  // namespace sidecore::cli
