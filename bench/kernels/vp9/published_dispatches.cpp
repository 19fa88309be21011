#include "kernels/vp9/published_dispatches.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>

#include "base/error.h"
#include "base/random.h"
#include "qpu/program.h"

namespace sidecore::qpu {
/// Returns the embedded shaders; a generated file defines it.
std::span<const Shader> baseline_shaders();
}  // namespace sidecore::qpu

namespace sidecore::bench {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::array kPublishedDispatches{
    PublishedDispatch{"inverse_dct_64", "inverse DCT 8x8, workgroups of 64", 8.421},
    PublishedDispatch{"inverse_dct_256", "inverse DCT 8x8, workgroups of 256", 4.211},
    PublishedDispatch{"loop_filter_4", "loop filter, 4 wide", 3.336},
    PublishedDispatch{"loop_filter_8", "loop filter, 8 wide", 3.672},
    PublishedDispatch{"prediction", "8-tap prediction, horizontal", 46.390}};

/// A dispatch as scripts/v3dsim-calibration describes it: buffers in the order of their bindings.
struct DispatchSpec {
  std::string_view shader;
  qpu::Specialization constants;
  std::vector<Bytes> buffers;
  std::vector<std::uint32_t> push;
  std::uint32_t groups = 1;
};

template <class T>
Bytes bytes_of_values(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Returns `size` bytes of random words, of which only the bits in `mask` are kept.
Bytes random_words(std::size_t size, std::uint64_t seed, std::uint32_t mask = 0xffffffff) {
  Random random(seed);
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  for (std::uint32_t& word : words) word = random() & mask;
  return bytes_of_values(words);
}

/// Describes the inverse DCT of the 32,640 blocks of a picture of 1920x1088.
DispatchSpec describe_dct(std::uint32_t workgroup) {
  constexpr std::uint32_t kWidth = 1920;
  constexpr std::uint32_t kDctBlockCount = 32640;
  constexpr std::uint32_t kColumns = kWidth / 8;
  std::vector<std::array<std::uint32_t, 2>> places;
  places.reserve(kDctBlockCount);
  for (std::uint32_t block = 0; block < kDctBlockCount; ++block) {
    places.push_back({block % kColumns, block / kColumns});
  }
  return {"inverse_dct_8x8",
          {{{0, workgroup}}},
          {random_words(4177920, 1, 0x00ff00ff), random_words(2097152, 2), bytes_of_values(places)},
          {kDctBlockCount, kWidth},
          kDctBlockCount * 8 / workgroup};
}

/// Describes the filter of 65,536 edges of 8 rows of 8 bytes. With samples of 0 to 15 and these
/// limits (22, 6, 2), 8.1 % of the rows pass the filter mask.
DispatchSpec describe_filter(std::string_view shader) {
  constexpr std::uint32_t kEdges = 65536;
  std::vector<std::array<std::uint32_t, 2>> edges;
  edges.reserve(kEdges);
  for (std::uint32_t edge = 0; edge < kEdges; ++edge) {
    edges.push_back({64 * edge + 4, 22U | 6U << 8U | 2U << 16U});
  }
  return {shader,
          {},
          {random_words(4194304, 8, 0x0f0f0f0f), bytes_of_values(edges)},
          {kEdges, 8},
          kEdges / 32};
}

DispatchSpec describe_prediction() {
  constexpr std::uint32_t kPredictedBlockCount = 65536;
  return {"prediction_8x8_x",
          {},
          {random_words(8388608, 3), Bytes(4194304), random_words(262144, 4)},
          {kPredictedBlockCount},
          kPredictedBlockCount / 32};
}

DispatchSpec describe_dispatch(std::string_view name) {
  if (name == "inverse_dct_64") return describe_dct(64);
  if (name == "inverse_dct_256") return describe_dct(256);
  if (name == "loop_filter_4") return describe_filter("loop_filter_h_4_byte");
  if (name == "loop_filter_8") return describe_filter("loop_filter_h_8_byte");
  if (name == "prediction") return describe_prediction();
  throw usage_error("no published dispatch has the name '{}'", name);
}

}  // namespace

std::span<const PublishedDispatch> published_dispatches() {
  return kPublishedDispatches;
}

RecordedDispatch::RecordedDispatch(qpu::Device& device, const PublishedDispatch& dispatch)
    : list_(device.create_command_list()) {
  DispatchSpec spec = describe_dispatch(dispatch.name);
  const qpu::Shader& shader =
      *std::ranges::find(qpu::baseline_shaders(), spec.shader, &qpu::Shader::name);
  const auto program = device.program(shader, spec.constants);
  std::vector<qpu::BufferRange> bindings;
  for (Bytes& initial : spec.buffers) {
    buffers_.push_back({device.create_buffer(initial.size()), std::move(initial)});
    bindings.push_back({.buffer = buffers_.back().buffer.get()});
    list_->upload(bindings.back());
  }
  restore();
  list_->dispatch(*program, bindings, std::as_bytes(std::span(spec.push)), {spec.groups, 1, 1});
  list_->finish();
}

void RecordedDispatch::restore() {
  for (const Contents& contents : buffers_) {
    std::ranges::copy(contents.initial, contents.buffer->bytes().begin());
  }
}

}  // namespace sidecore::bench
