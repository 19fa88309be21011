#include "h264/deblocking_qpu.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <functional>

namespace sidecore::qpu {

// Defined in the generated table of this folder's shaders.
std::span<const Shader> h264_shaders();

}  // namespace sidecore::qpu

namespace sidecore::h264 {
namespace {

// Packed thresholds without beta, by indexA, and beta's part, by indexB.
struct PackedThresholds {
  PackedThresholds() {
    for (std::size_t index = 0; index < by_a.size(); ++index) {
      const auto both = static_cast<std::uint8_t>(index);
      const EdgeThresholds thresholds = edge_thresholds({both, both});
      by_a[index] = thresholds.alpha;
      by_b[index] = std::uint32_t{thresholds.beta} << 8U;
      for (std::size_t strength = 1; strength < thresholds.tc0.size(); ++strength) {
        const auto shift = shader::kTc0Shift + shader::kTc0Bits * (strength - 1);
        by_a[index] |= std::uint32_t{thresholds.tc0[strength]} << shift;
      }
    }
  }
  [[nodiscard]] std::uint32_t operator()(const EdgeIndices& indices) const {
    return by_a[indices.a] | by_b[indices.b];
  }

  std::array<std::uint32_t, kIndices> by_a{}, by_b{};
};

// Packs the strengths of two edges, a byte for each segment.
std::uint32_t pack_edges(const Strengths& first, const Strengths& second) {
  return std::bit_cast<std::uint32_t>(first) | std::bit_cast<std::uint32_t>(second) << 4U;
}

}  // namespace

const qpu::Shader& deblocking_shader() {
  return *std::ranges::find(qpu::h264_shaders(), "h264_deblocking", &qpu::Shader::name);
}

void pack_macroblocks(std::span<const Macroblock> macroblocks, std::span<std::uint32_t> words) {
  static const PackedThresholds kThresholds;
  assert(words.size() >= macroblocks.size() * kPackedWords);
  std::uint32_t* to = words.data();
  for (const Macroblock& macroblock : macroblocks) {
    const auto& [vertical, horizontal] = macroblock.strengths;
    // The device's memory is written in order and never read, because the host reads it slowly.
    const std::array strengths = {
        pack_edges(vertical[0], vertical[1]), pack_edges(vertical[2], vertical[3]),
        pack_edges(horizontal[0], horizontal[1]), pack_edges(horizontal[2], horizontal[3])};
    std::ranges::copy(strengths, to);
    if ((strengths[0] | strengths[1] | strengths[2] | strengths[3]) != 0) {
      for (std::size_t plane = 0; plane < 3; ++plane) {
        std::transform(macroblock.indices[plane].begin(), macroblock.indices[plane].end(),
                       to + 4 + 4 * plane, std::cref(kThresholds));
      }
    }
    to += kPackedWords;
  }
}

void record_deblocking(qpu::Device& device, qpu::CommandList& list, const qpu::BufferRange& picture,
                       const video::PictureFormat& format,
                       std::span<const Macroblock> macroblocks) {
  check_macroblocks(format, macroblocks);
  const auto packed =
      device.create_buffer(macroblocks.size() * kPackedWords * sizeof(std::uint32_t));
  pack_macroblocks(macroblocks, packed->as<std::uint32_t>());
  const qpu::BufferRange records{.buffer = packed.get()};
  list.upload(records);

  const video::PictureLayout layout(format);
  shader::DeblockingPush push{};
  push.columns = static_cast<std::uint32_t>(format.width / kMacroblock);
  push.rows = static_cast<std::uint32_t>(format.height / kMacroblock);
  for (std::size_t plane = 0; plane < 3; ++plane) {
    push.offsets[plane] = static_cast<std::uint32_t>(layout.planes[plane].offset / 4);
  }
  for (std::size_t index = 0; index < 2; ++index) {
    push.strides[index] = static_cast<std::uint32_t>(layout.planes[index].stride / 4);
  }
  list.dispatch(*device.program(deblocking_shader(), {}), std::array{picture, records}, push,
                {1, 1, 1});
}

}  // namespace sidecore::h264
