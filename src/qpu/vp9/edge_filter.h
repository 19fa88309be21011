// The shader that filters loop-filter edges of all kinds: its host side, shared by what filters
// lists and what filters pictures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "vp9/loop_filter.h"

namespace sidecore::qpu {

[[nodiscard]] const ProgramInterface& edge_filter_interface();
/// The same for samples of more than 8 bits.
[[nodiscard]] const ProgramInterface& deep_edge_filter_interface();

/// An edge as the shader reads it.
struct PackedEdge {
  std::uint32_t words = 0;
  std::uint32_t rest = 0;
};

/// q0 lies `offset` bytes, a multiple of 4, behind the start of the planes; `stride` is 0 or 1 and
/// picks one of a step's strides.
[[nodiscard]] PackedEdge pack_edge(std::size_t offset, vp9::LoopFilterKind kind,
                                   const vp9::LoopFilterLimits& limits, std::uint32_t stride);

/// A step of a schedule: the edges [first, last) of a buffer of edges.
struct PackedStep {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// The shader of superblock waves: a workgroup a superblock. Its bindings: planes, PackedEdge,
/// shader::LoopFilterWaveStep, the first step of each superblock, and shader::LoopFilterWave.
[[nodiscard]] const ProgramInterface& wave_filter_interface();
/// The same for samples of more than 8 bits.
[[nodiscard]] const ProgramInterface& deep_wave_filter_interface();
/// Compiled for samples of 8 to 12 bits.
[[nodiscard]] std::shared_ptr<Program> wave_filter_program(Device& device, int bits);

/// The compiled shader, for edges of the given kinds only: a pipeline for few kinds is smaller.
/// Samples have 8 bits, four a word, or up to 12, two a word.
class EdgeFilter {
 public:
  EdgeFilter(Device& device, std::span<const vp9::LoopFilterKind> kinds, int bits = 8);

  struct Buffers {
    BufferRange planes;
    Buffer* edges;  ///< of PackedEdge
    Buffer* steps;  ///< of PackedStep
  };
  /// Records one step, whatever it will hold when the list runs. `strides` are in bytes, multiples
  /// of 4.
  void record_step(CommandList& list, const Buffers& buffers, std::uint32_t step,
                   const std::array<std::size_t, 2>& strides) const;

 private:
  std::shared_ptr<Program> program_;
};

}  // namespace sidecore::qpu
