#include "kernels/vp9/loop_filter_baselines.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "qpu/program.h"
#include "qpu/workgroup_grid.h"
#include "vp9/baselines/loop_filter_h_4.interface.h"

namespace sidecore::qpu {
/// Returns the embedded shaders; a generated file defines it.
std::span<const Shader> baseline_shaders();
}  // namespace sidecore::qpu

namespace sidecore::bench {
namespace {

// An edge in the format that the shaders read.
struct ListedEdge {
  // Distance from the plane's first sample to q0 of the first line, in bytes.
  std::uint32_t offset = 0;
  std::uint32_t limits = 0;  // E | I << 8 | H << 16
};

std::uint32_t invocations_per_edge_log2(LoopFilterBaseline baseline) {
  return baseline == LoopFilterBaseline::word ? qpu::shader::kWordInvocationsPerEdgeLog2
                                              : qpu::shader::kByteInvocationsPerEdgeLog2;
}

std::shared_ptr<qpu::Buffer> make_list(qpu::Device& device, std::size_t stride,
                                       std::span<const vp9::LoopFilterEdge> edges, int sharpness) {
  const vp9::LoopFilterLimitTable limits(sharpness);
  const vp9::LoopFilterKind kind = edges.front().kind();
  auto buffer = device.create_buffer(edges.size() * sizeof(ListedEdge));
  std::ranges::transform(edges, buffer->as<ListedEdge>().begin(), [&](const auto& edge) {
    if (edge.kind() != kind || edge.plane != 0) {
      throw usage_error(
          "the loop filter's baselines need edges of one kind in the first plane, but found {} "
          "beside {}, in plane {}",
          vp9::to_string(edge.kind()), vp9::to_string(kind), edge.plane);
    }
    const vp9::LoopFilterLimits& of = limits[edge.level];
    return ListedEdge{static_cast<std::uint32_t>(edge.y * stride + edge.x),
                      of.blimit | std::uint32_t{of.limit} << 8U | std::uint32_t{of.thresh} << 16U};
  });
  return buffer;
}

}  // namespace

std::string_view to_string(LoopFilterBaseline baseline) {
  return baseline == LoopFilterBaseline::word ? "word" : "byte";
}

const qpu::Shader* baseline_shader(LoopFilterBaseline baseline, vp9::LoopFilterKind kind) {
  const auto shaders = qpu::baseline_shaders();
  const auto found = std::ranges::find(
      shaders, fmt::format("loop_filter_{}_{}", vp9::to_string(kind), to_string(baseline)),
      &qpu::Shader::name);
  return found == shaders.end() ? nullptr : &*found;
}

void record_baseline(qpu::Device& device, qpu::CommandList& list, LoopFilterBaseline baseline,
                     const qpu::BufferRange& plane, std::size_t stride,
                     std::span<const vp9::LoopFilterEdge> edges, int sharpness) {
  if (edges.empty()) return;
  const qpu::Shader* const shader = baseline_shader(baseline, edges.front().kind());
  if (shader == nullptr) {
    throw usage_error("the loop filter's baseline {} has no shader for edges of {}",
                      to_string(baseline), vp9::to_string(edges.front().kind()));
  }
  const auto program = device.program(*shader, {});
  const auto listed = make_list(device, stride, edges, sharpness);
  list.upload({.buffer = listed.get()});
  const qpu::shader::LoopFilterPush push{.edge_count = static_cast<std::uint32_t>(edges.size()),
                                         .stride = static_cast<std::uint32_t>(stride)};
  const std::size_t per_workgroup =
      program->workgroup_size()[0] >> invocations_per_edge_log2(baseline);
  const std::size_t workgroups = (edges.size() + per_workgroup - 1) / per_workgroup;
  const qpu::BufferRange bindings[] = {plane, {.buffer = listed.get()}};
  const auto grid = qpu::workgroup_grid(workgroups, device.limits());
  if (grid[1] > 1 && edges.front().width == 8) {
    throw usage_error("{} edges exceed the limit of the loop filter's baseline of h_8",
                      edges.size());
  }
  list.dispatch(*program, bindings, push, grid);
}

}  // namespace sidecore::bench
