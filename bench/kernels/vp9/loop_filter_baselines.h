// Baselines of the QPU's loop filter: the published design of h_4 and h_8 for a V3D, and an
// improved design of h_4. No decoder runs them; their shaders are in shaders/vp9/baselines.
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

/// Memory access of the baseline shader.
enum class LoopFilterBaseline : std::uint8_t {
  byte,  ///< published design: one lane per row, 8 byte loads, up to 4 byte stores
  word,  ///< one lane per edge, 2 word loads and 2 word stores per row
};
inline constexpr std::array kLoopFilterBaselines{LoopFilterBaseline::word,
                                                 LoopFilterBaseline::byte};
/// Returns the enumerator's name.
[[nodiscard]] std::string_view to_string(LoopFilterBaseline baseline);

/// Returns the baseline's shader for a kind of edge, or null if there is none.
[[nodiscard]] const qpu::Shader* baseline_shader(LoopFilterBaseline baseline,
                                                 vp9::LoopFilterKind kind);

/// Records the upload of the list of edges, and one dispatch that filters them in a plane of 8-bit
/// samples. `plane` starts at the plane's first sample; `stride` is in bytes, a multiple of 4. All
/// edges must be of one kind that has the baseline, and no two may touch a common sample.
void record_baseline(qpu::Device& device, qpu::CommandList& list, LoopFilterBaseline baseline,
                     const qpu::BufferRange& plane, std::size_t stride,
                     std::span<const vp9::LoopFilterEdge> edges, int sharpness);

}  // namespace sidecore::bench
