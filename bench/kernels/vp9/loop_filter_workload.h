// Workload of the loop filters: a list of edges and the planes of a picture.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/thread_team.h"
#include "gates/kernel.h"
#include "kernels/guarded_block.h"
#include "qpu/vp9/loop_filter.h"
#include "vp9/back_end.h"
#include "vp9/dsp.h"
#include "vp9/loop_filter.h"
#include "vp9/loop_filter_edges.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::bench {

/// Returns the QPU variants: the decoder's dispatches in each filter order, and baselines if the
/// kind of edge has some.
[[nodiscard]] std::vector<gates::QpuVariant> loop_filter_variants(
    std::optional<vp9::LoopFilterKind> kind);

/// Input of a loop filter workload. The planes lie in a memory of `bytes` bytes.
struct LoopFilterWork {
  qpu::PicturePlanes planes;
  std::size_t bytes = 0;
  int bits = 8;
  vp9::PlaneScales scales;  ///< chroma subsampling; it determines the superblock of a chroma edge
  std::vector<vp9::LoopFilterEdge> edges;
  int sharpness = 0;
  /// If set, all edges are of this kind and no two touch a common sample, so that they can be
  /// filtered in any order. If not, edges are of all kinds, in the scalar definition's order.
  std::optional<vp9::LoopFilterKind> kind;
};

/// Loop filter of a list of edges; the work unit is one edge. The CPU uses the decoder's function
/// tables (vp9::filter_edges()), the QPU the decoder's dispatches (qpu::LoopFilter). Derived
/// classes provide the samples.
class LoopFilterWorkload : public gates::Workload {
 public:
  explicit LoopFilterWorkload(LoopFilterWork work);

  [[nodiscard]] std::size_t units() const override { return work_.edges.size(); }
  [[nodiscard]] bool ordered() const override { return !work_.kind; }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }
  void reset(std::span<std::byte> memory) const override;
  void run_scalar(std::span<std::byte> memory, gates::UnitRange units) const override;
  void run_neon(std::span<std::byte> memory, gates::UnitRange units) const override;
  [[nodiscard]] std::string refusal_of_variant(std::string_view variant) const override;
  [[nodiscard]] std::vector<gates::BranchRate> branch_rates(
      std::span<const std::byte> memory) const override;
  [[nodiscard]] std::vector<gates::CpuCalls> cpu_calls(std::span<std::byte> memory) const override;
  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override;
  [[nodiscard]] std::string describe(std::size_t byte) const override;

  /// Filters like run_neon(), but with the function tables `dsp` instead of NEON's.
  void run(const vp9::DspTables& dsp, std::span<std::byte> memory, gates::UnitRange units) const;

 protected:
  /// Writes the unfiltered samples. Bytes that it does not write keep the guard pattern.
  virtual void fill(std::span<std::byte> picture) const = 0;
  /// Describes the position of a sample of a plane, for messages.
  [[nodiscard]] virtual std::string place(std::size_t plane, std::size_t x, std::size_t y) const;

  [[nodiscard]] const LoopFilterWork& work() const { return work_; }
  /// Returns the samples' part of the memory block.
  [[nodiscard]] std::span<std::byte> picture_in(std::span<std::byte> memory) const {
    return block_.part(memory, picture_);
  }

 private:
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view variant) const override;
  /// Position of a sample.
  struct Place {
    std::size_t plane, x, y;
  };
  [[nodiscard]] std::size_t sample_bytes() const { return work_.bits == 8 ? 1 : 2; }
  /// Returns the planes with offsets from the first byte of the block.
  [[nodiscard]] qpu::PicturePlanes planes_in_block() const;
  [[nodiscard]] std::optional<Place> place_of(std::size_t byte) const;
  [[nodiscard]] std::optional<std::size_t> unit_at(const Place& place) const;
  void index_cells();

  LoopFilterWork work_;
  GuardedBlock block_;
  std::size_t picture_;
  // For each plane: the last edge that touches each group of 4x4 samples.
  std::array<std::vector<std::optional<std::size_t>>, 3> cells_;
};

/// Loop filter of a whole picture with all its edges, as a decoder runs it.
class LoopFilterPictureWorkload final : public LoopFilterWorkload {
 public:
  /// Creates the workload. `samples` are the unfiltered samples: 4:2:0 or 4:4:4, 8, 10 or 12 bits.
  LoopFilterPictureWorkload(video::Picture samples, const vp9::LoopFilterEdges& edges,
                            int sharpness);

  /// Runs NEON on the threads, and divides the picture among them as the decoder's loop filter
  /// stage does.
  Nanoseconds run_neon_on(ThreadTeam& team, std::span<std::byte> memory) const override;

  /// Runs the decoder's loop filter stage with the function tables `dsp`.
  Nanoseconds run_stage(const vp9::DspTables& dsp, ThreadTeam& team,
                        std::span<std::byte> memory) const;

 private:
  void fill(std::span<std::byte> picture) const override;
  [[nodiscard]] std::string place(std::size_t plane, std::size_t x, std::size_t y) const override;

  video::Picture samples_;
  vp9::LoopFilterEdges edges_;
  /// Loop filter stage; it keeps memory between calls, so only one caller at a time may use it.
  std::unique_ptr<vp9::BackEnd> stage_;
};

}  // namespace sidecore::bench
