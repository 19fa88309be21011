// What the QPU's loop filter is measured against: the published way to put h_4 and h_8 on a V3D,
// and for h_4 our first step away from it. No decoder runs these; their shaders are in
// shaders/vp9/baselines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// How the shader touches memory.
enum class LoopFilterBaseline : std::uint8_t {
  byte,  ///< one lane a row, 8 byte loads, up to 4 byte stores: the published design
  word,  ///< one lane an edge, 2 word loads and 2 word stores a row
};
inline constexpr std::array kLoopFilterBaselines{LoopFilterBaseline::word,
                                                 LoopFilterBaseline::byte};
/// The enumerator's name.
[[nodiscard]] std::string_view to_string(LoopFilterBaseline baseline);

/// Null where edges of a kind have none.
[[nodiscard]] const qpu::Shader* baseline_shader(LoopFilterBaseline baseline,
                                                 vp9::LoopFilterKind kind);

/// Records one dispatch that filters edges of one kind, which has that baseline, over a plane of
/// 8-bit samples, and the upload of their list. `plane` starts at the plane's first sample;
/// `stride` is in bytes, a multiple of 4. No two edges touch a common sample.
void record_baseline(qpu::Device& device, qpu::CommandList& list, LoopFilterBaseline baseline,
                     const qpu::BufferRange& plane, std::size_t stride,
                     std::span<const vp9::LoopFilterEdge> edges, int sharpness);

}  // namespace sidecore::bench
