#include "qpu/vp9/edge_filter.h"

#include "vp9/loop_filter.interface.h"

namespace sidecore::qpu {
const ProgramInterface& edge_filter_interface() {
  static const ProgramInterface interface {
    .shader = "loop_filter", .bindings = {Access::read_write, Access::read, Access::read},
    .push_constant_bytes = sizeof(shader::LoopFilterStepPush)
  };
  return interface;
}

const ProgramInterface& deep_edge_filter_interface() {
  static const ProgramInterface interface = [] {
    ProgramInterface deep = edge_filter_interface();
    deep.shader = "loop_filter_deep";
    return deep;
  }();
  return interface;
}

const ProgramInterface& wave_filter_interface() {
  static const ProgramInterface interface {
    .shader = "loop_filter_wave",
    .bindings = {Access::read_write, Access::read, Access::read, Access::read, Access::read},
    .push_constant_bytes = sizeof(shader::LoopFilterWavePush)
  };
  return interface;
}

const ProgramInterface& deep_wave_filter_interface() {
  static const ProgramInterface interface = [] {
    ProgramInterface deep = wave_filter_interface();
    deep.shader = "loop_filter_wave_deep";
    return deep;
  }();
  return interface;
}

std::shared_ptr<Program> wave_filter_program(Device& device, int bits) {
  if (bits == 8) return device.program(wave_filter_interface(), {});
  return device.program(deep_wave_filter_interface(),
                        {{{shader::kExtraBitsConstant, static_cast<std::uint32_t>(bits - 8)}}});
}

PackedEdge pack_edge(std::size_t offset, vp9::LoopFilterKind kind,
                     const vp9::LoopFilterLimits& limits, std::uint32_t stride) {
  return {.words = static_cast<std::uint32_t>(offset / 4),
          .rest = limits.blimit | std::uint32_t{limits.limit} << 8U |
                  std::uint32_t{limits.thresh} << 16U |
                  static_cast<std::uint32_t>(kind) << shader::kKindShift |
                  stride << shader::kStrideShift};
}

EdgeFilter::EdgeFilter(Device& device, std::span<const vp9::LoopFilterKind> kinds, int bits) {
  std::uint32_t mask = 0;
  for (const vp9::LoopFilterKind kind : kinds) mask |= 1U << static_cast<std::uint32_t>(kind);
  program_ =
      bits == 8
          ? device.program(edge_filter_interface(), {{{shader::kKindsConstant, mask}}})
          : device.program(deep_edge_filter_interface(),
                           {{{shader::kKindsConstant, mask},
                             {shader::kExtraBitsConstant, static_cast<std::uint32_t>(bits - 8)}}});
}

void EdgeFilter::record_step(CommandList& list, const Buffers& buffers, std::uint32_t step,
                             const std::array<std::size_t, 2>& strides) const {
  const shader::LoopFilterStepPush push{.step = step,
                                        .strides = {static_cast<std::uint32_t>(strides[0] / 4),
                                                    static_cast<std::uint32_t>(strides[1] / 4)}};
  const BufferRange bindings[] = {
      buffers.planes, {.buffer = buffers.edges}, {.buffer = buffers.steps}};
  list.dispatch(*program_, bindings, push, {shader::kLanes / program_->workgroup_size()[0], 1, 1});
}

}  // namespace sidecore::qpu
