// Command line of the simulator's test client. The "run:" lines of each shader below
// tests/v3dsim/shaders hold these options.
#include <CLI/CLI.hpp>

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/atomic_file.h"
#include "base/error.h"
#include "v3dsim/compute_program.h"
#include "v3dsim/vector_file.h"
#include "v3dsim/vulkan_device.h"

namespace {

using namespace sidecore;
using namespace sidecore::v3dsim_client;

template <class T>
T number(std::string_view text, std::string_view whole) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw usage_error("'{}' contains something that is not a number", whole);
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw usage_error("{} cannot be read", path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// Parses SET.BINDING:BYTES[:SEED[:MASK]] or SET.BINDING@FILE.
BufferSpec buffer_of(const std::string& text, bool uniform) {
  if (const std::size_t at = text.find('@'); at != std::string::npos) {
    BufferSpec buffer = buffer_of(text.substr(0, at) + ":4", uniform);
    buffer.contents = read_file(text.substr(at + 1));
    buffer.bytes = static_cast<std::uint32_t>(buffer.contents.size());
    return buffer;
  }
  const auto parts = split(text, ':');
  const auto place = split(parts[0], '.');
  if (parts.size() < 2 || parts.size() > 4 || place.size() != 2) {
    throw usage_error("a buffer must be SET.BINDING:BYTES[:SEED[:MASK]], not '{}'", text);
  }
  BufferSpec buffer;
  buffer.uniform = uniform;
  buffer.set = number<std::uint32_t>(place[0], text);
  buffer.binding = number<std::uint32_t>(place[1], text);
  buffer.bytes = number<std::uint32_t>(parts[1], text);
  if (buffer.bytes == 0 || buffer.bytes % 4 != 0) {
    throw usage_error("a buffer's size must be a multiple of 4, not {}", buffer.bytes);
  }
  if (parts.size() > 2) buffer.seed = number<std::uint64_t>(parts[2], text);
  if (parts.size() > 3) buffer.mask = number<std::uint32_t>(parts[3], text);
  return buffer;
}

std::array<std::uint32_t, 3> triple_of(const std::string& text) {
  const auto parts = split(text, ',');
  if (parts.size() != 3) throw usage_error("a grid must be X,Y,Z, not '{}'", text);
  return {number<std::uint32_t>(parts[0], text), number<std::uint32_t>(parts[1], text),
          number<std::uint32_t>(parts[2], text)};
}

// Parses SET.BINDING:WIDTHxHEIGHT.
ImageSpec image_of(const std::string& text) {
  const auto parts = split(text, ':');
  const auto place = split(parts[0], '.');
  const auto size = split(parts.back(), 'x');
  if (parts.size() != 2 || place.size() != 2 || size.size() != 2) {
    throw usage_error("an image must be SET.BINDING:WIDTHxHEIGHT, not '{}'", text);
  }
  return {number<std::uint32_t>(place[0], text), number<std::uint32_t>(place[1], text),
          number<std::uint32_t>(size[0], text), number<std::uint32_t>(size[1], text)};
}

ImageJob image_job_of(const std::string& text) {
  if (text == "none") return ImageJob::none;
  if (text == "clear") return ImageJob::clear;
  if (text == "copy") return ImageJob::copy_from_buffer;
  throw usage_error("an image job must be none, clear or copy, not '{}'", text);
}

struct Arguments {
  ProgramSpec spec;
  bool both = false;
  std::string output;
  std::string record, name, probes;
  std::vector<std::string> replay;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  ProgramSpec& spec = arguments.spec;
  std::vector<std::string> storage, uniform, constants, words;
  std::string spirv, groups = "1,1,1", base = "0,0,0", transfers, image, image_job = "none", fill;
  CLI::App app("Runs one compute shader and writes the final contents of its storage buffers.");
  app.add_option("--spirv", spirv, "the shader");
  app.add_option("--groups", groups, "X,Y,Z workgroups");
  app.add_option("--base", base, "X,Y,Z of the first workgroup");
  app.add_flag("--indirect", spec.indirect, "take the grid from a buffer");
  app.add_flag("--both", arguments.both,
               "run once directly and once with --indirect, each on new buffers");
  app.add_flag("--robust", spec.robust, "enable robustBufferAccess");
  app.add_flag("--event", spec.wait_for_event, "set an event on the device and wait for it there");
  app.add_option("--dispatches", spec.dispatches,
                 "number of consecutive dispatches, with barriers between");
  app.add_option("--repeat", spec.repeats,
                 "number of submissions of the whole work; prints the median time")
      ->check(CLI::PositiveNumber);
  app.add_option("--buffer", storage,
                 "storage buffer: SET.BINDING:BYTES[:SEED[:MASK]] or SET.BINDING@FILE");
  app.add_option("--uniform", uniform, "uniform buffer, in the same form");
  app.add_option("--push", words, "words of push constants");
  app.add_option("--push-step", spec.push_step,
                 "added to the first push word for each further dispatch");
  app.add_flag("--push-addresses", spec.push_addresses,
               "push the buffers' addresses before the words");
  app.add_option("--constant", constants, "specialization: ID=VALUE");
  app.add_option("--transfers", transfers, "COUNT:SEED of random copies, fills and updates before");
  app.add_flag("--compile-only", spec.compile_only, "print the pipeline's statistics");
  app.add_option("--memory-offset", spec.memory_offset,
                 "offset of the storage buffers in their memory, bytes");
  app.add_option("--fill", fill, "word to fill the first buffer with, before all else");
  app.add_option("--image", image, "storage image: SET.BINDING:WIDTHxHEIGHT");
  app.add_option("--image-job", image_job,
                 "image command before: none, clear, or copy (first buffer)");
  app.add_option("--record", arguments.record, "vector file to write");
  app.add_option("--name", arguments.name, "name of the vector");
  app.add_option("--probes", arguments.probes, "hardware behaviour that the vector probes");
  app.add_option("--replay", arguments.replay, "vector files to run and compare");
  app.add_option("--output", arguments.output, "file for the buffers' final bytes");
  app.parse(argc, argv);

  if (!spirv.empty()) spec.spirv = read_spirv(spirv);
  if (!image.empty()) spec.image = image_of(image);
  spec.image_job = image_job_of(image_job);
  if (!fill.empty()) spec.fill = number<std::uint32_t>(fill, fill);
  spec.groups = triple_of(groups);
  spec.base = triple_of(base);
  for (const auto& text : storage) spec.buffers.push_back(buffer_of(text, false));
  for (const auto& text : uniform) spec.buffers.push_back(buffer_of(text, true));
  for (const auto& text : words) spec.push_words.push_back(number<std::uint32_t>(text, text));
  for (const auto& text : constants) {
    const auto parts = split(text, '=');
    if (parts.size() != 2) throw usage_error("a constant must be ID=VALUE, not '{}'", text);
    spec.constants.emplace_back(number<std::uint32_t>(parts[0], text),
                                number<std::uint32_t>(parts[1], text));
  }
  if (!transfers.empty()) {
    const auto parts = split(transfers, ':');
    if (parts.size() != 2) throw usage_error("transfers must be COUNT:SEED, not '{}'", transfers);
    spec.transfers = {number<std::uint32_t>(parts[0], transfers),
                      number<std::uint64_t>(parts[1], transfers)};
    if (spec.buffers.size() < 2) throw usage_error("transfers need two buffers");
  }
  return arguments;
}

// Replays vectors, prints the result of each, and fails if one differs.
int replay_all(const std::vector<std::string>& paths) {
  std::size_t agreeing = 0;
  const VulkanDevice device(false);
  for (const std::string& path : paths) {
    const Verdict verdict = replay(read_vector(path), device);
    fmt::print("{}\n", verdict.text);
    agreeing += verdict.agrees ? 1 : 0;
  }
  fmt::print("{} of {} vectors agree\n", agreeing, paths.size());
  return agreeing == paths.size() ? 0 : static_cast<int>(ErrorKind::failed);
}

void record(const Arguments& arguments) {
  Vector vector{arguments.name, arguments.probes, {}, arguments.spec, {}};
  materialize(vector.spec);
  ProgramResult result = run_program(vector.spec);
  vector.recorded_on = std::move(result.device);
  vector.expected = std::move(result.buffers);
  write_vector(vector, arguments.record);
}

int run(const Arguments& arguments) {
  if (!arguments.replay.empty()) return replay_all(arguments.replay);
  if (!arguments.record.empty()) {
    record(arguments);
    return 0;
  }
  ProgramResult result = run_program(arguments.spec);
  if (arguments.both) {
    ProgramSpec indirect = arguments.spec;
    indirect.indirect = true;
    for (auto& bytes : run_program(indirect).buffers) result.buffers.push_back(std::move(bytes));
  }
  fmt::print("device: {}\n", result.device);
  for (const auto& [name, value] : result.statistics) fmt::print("{}: {}\n", name, value);
  if (!arguments.spec.compile_only) {
    fmt::print("gpu_ns: {}\nsubmit_to_fence_ns: {}\n", result.gpu_ns, result.submit_to_fence_ns);
  }
  if (!arguments.output.empty()) {
    AtomicFile file(arguments.output);
    for (const auto& bytes : result.buffers) file.write(bytes);
    file.commit();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const CLI::ParseError& error) {
    CLI::App app;
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    fmt::print(stderr, "v3dsim_client: {}\n", error.what());
    return error.exit_status();
  }
}
