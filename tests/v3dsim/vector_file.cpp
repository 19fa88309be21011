#include "v3dsim/vector_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/error.h"

namespace sidecore::v3dsim_client {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "sidecore-v3dsim-vector-1\n";

Json header_of(const Vector& vector) {
  const ProgramSpec& spec = vector.spec;
  Json buffers = Json::array();
  for (const BufferSpec& buffer : spec.buffers) {
    buffers.push_back({{"set", buffer.set},
                       {"binding", buffer.binding},
                       {"kind", buffer.uniform ? "uniform" : "storage"},
                       {"bytes", buffer.bytes}});
  }
  return {{"name", vector.name},
          {"probes", vector.probes},
          {"recorded_on", vector.recorded_on},
          {"groups", spec.groups},
          {"base", spec.base},
          {"indirect", spec.indirect},
          {"dispatches", spec.dispatches},
          {"push_addresses", spec.push_addresses},
          {"push_words", spec.push_words},
          {"constants", spec.constants},
          {"buffers", std::move(buffers)},
          {"spirv_bytes", spec.spirv.size() * 4}};
}

/// Removes bytes from the front of `rest` and returns them.
std::vector<std::byte> take(std::span<const std::byte>& rest, std::size_t count,
                            const std::filesystem::path& path) {
  if (rest.size() < count) throw usage_error("{} is cut short", path.string());
  std::vector<std::byte> bytes(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count));
  rest = rest.subspan(count);
  return bytes;
}

void read_header(const Json& json, Vector& vector) {
  ProgramSpec& spec = vector.spec;
  vector.name = json.at("name");
  vector.probes = json.at("probes");
  vector.recorded_on = json.at("recorded_on");
  spec.groups = json.at("groups");
  spec.base = json.at("base");
  spec.indirect = json.at("indirect");
  spec.dispatches = json.at("dispatches");
  spec.push_addresses = json.at("push_addresses");
  spec.push_words = json.at("push_words").get<std::vector<std::uint32_t>>();
  for (const Json& pair : json.at("constants")) {
    spec.constants.emplace_back(pair.at(0).get<std::uint32_t>(), pair.at(1).get<std::uint32_t>());
  }
  for (const Json& entry : json.at("buffers")) {
    BufferSpec& buffer = spec.buffers.emplace_back();
    buffer.set = entry.at("set");
    buffer.binding = entry.at("binding");
    buffer.uniform = entry.at("kind") == "uniform";
    buffer.bytes = entry.at("bytes");
  }
}

/// Describes a buffer's differences, e.g. "buffer 0.1: 3 of 512 words differ, the first at byte 64:
/// expected 3f800000, found 3f800001".
std::string difference(const BufferSpec& buffer, std::span<const std::byte> expected,
                       std::span<const std::byte> found) {
  std::string first;
  std::size_t wrong = 0;
  for (std::size_t at = 0; at + 4 <= expected.size(); at += 4) {
    std::uint32_t want = 0, have = 0;
    std::memcpy(&want, &expected[at], sizeof want);
    std::memcpy(&have, &found[at], sizeof have);
    if (want == have) continue;
    if (wrong++ == 0) first = fmt::format("byte {}: expected {:08x}, found {:08x}", at, want, have);
  }
  if (wrong == 0) return {};
  return fmt::format("; buffer {}.{}: {} of {} words differ, the first at {}", buffer.set,
                     buffer.binding, wrong, expected.size() / 4, first);
}

}  // namespace

void write_vector(const Vector& vector, const std::filesystem::path& path) {
  const ProgramSpec& spec = vector.spec;
  if (spec.transfers.count != 0 || spec.image.width != 0 || spec.wait_for_event ||
      spec.memory_offset != 0 || spec.push_step != 0 || spec.fill || spec.robust ||
      spec.spirv.empty()) {
    throw usage_error("a vector can contain only dispatches over buffers");
  }
  AtomicFile file(path);
  file.write(kMagic);
  file.write(header_of(vector).dump());
  file.write("\n");
  file.write(std::as_bytes(std::span(spec.spirv)));
  for (const BufferSpec& buffer : spec.buffers) file.write(buffer.contents);
  for (const auto& bytes : vector.expected) file.write(bytes);
  file.commit();
}

Vector read_vector(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || !text.starts_with(kMagic)) {
    throw usage_error("{} is not a vector of format 1", path.string());
  }
  const std::size_t end = text.find('\n', kMagic.size());
  if (end == std::string::npos) throw usage_error("{} is cut short", path.string());
  Vector vector;
  std::size_t spirv_bytes = 0;
  try {
    const Json json = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(kMagic.size()),
                                  text.begin() + static_cast<std::ptrdiff_t>(end));
    read_header(json, vector);
    spirv_bytes = json.at("spirv_bytes");
  } catch (const Json::exception& error) {
    throw usage_error("{}: {}", path.string(), error.what());
  }
  auto rest = std::as_bytes(std::span(text)).subspan(end + 1);
  const auto spirv = take(rest, spirv_bytes, path);
  vector.spec.spirv.resize(spirv_bytes / 4);
  std::memcpy(vector.spec.spirv.data(), spirv.data(), vector.spec.spirv.size() * 4);
  for (BufferSpec& buffer : vector.spec.buffers) buffer.contents = take(rest, buffer.bytes, path);
  for (const BufferSpec& buffer : vector.spec.buffers) {
    vector.expected.push_back(take(rest, buffer.bytes, path));
  }
  if (!rest.empty()) throw usage_error("{} has data after its last buffer", path.string());
  return vector;
}

Verdict replay(const Vector& vector, const VulkanDevice& device) {
  const ProgramResult result = run_program(vector.spec, device);
  std::string differences;
  for (std::size_t i = 0; i < vector.expected.size(); ++i) {
    differences += difference(vector.spec.buffers[i], vector.expected[i], result.buffers[i]);
  }
  const std::string kind =
      vector.probes.empty() ? "fixed by Vulkan" : fmt::format("probes {}", vector.probes);
  return {differences.empty(),
          fmt::format("{} ({}): {}{}", vector.name, kind,
                      differences.empty() ? "agrees" : "DIFFERS", differences)};
}

}  // namespace sidecore::v3dsim_client
