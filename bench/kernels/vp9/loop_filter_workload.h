// A workload of the loop filters: a list of edges over the planes of a picture.
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

/// The QPU's variants: the decoder's dispatches by either order and, for h_4 alone, the baselines.
[[nodiscard]] std::vector<gates::QpuVariant> loop_filter_variants(
    std::optional<vp9::LoopFilterKind> kind);

/// What a workload filters. The planes lie in a memory of `bytes`.
struct LoopFilterWork {
  qpu::PicturePlanes planes;
  std::size_t bytes = 0;
  int bits = 8;
  vp9::PlaneScales scales;  ///< which superblock an edge of chroma belongs to
  std::vector<vp9::LoopFilterEdge> edges;
  int sharpness = 0;
  /// All edges are of this kind and no two touch a common sample: any share of them may be filtered
  /// at any time. None: edges of all kinds in the definition's order.
  std::optional<vp9::LoopFilterKind> kind;
};

/// Unit: an edge. The CPU filters through a decoder's tables (vp9::filter_edges()), the QPU by a
/// decoder's dispatches (qpu::LoopFilter). Where the samples come from is for derived classes to
/// say.
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

  /// As run_neon() with NEON's tables: `dsp` is in their place.
  void run(const vp9::DspTables& dsp, std::span<std::byte> memory, gates::UnitRange units) const;

 protected:
  /// Writes the pristine samples. Those that it leaves out keep the guards' pattern.
  virtual void fill(std::span<std::byte> picture) const = 0;
  /// A sample of a plane in the content's words.
  [[nodiscard]] virtual std::string place(std::size_t plane, std::size_t x, std::size_t y) const;

  [[nodiscard]] const LoopFilterWork& work() const { return work_; }
  /// The samples within the block.
  [[nodiscard]] std::span<std::byte> picture_in(std::span<std::byte> memory) const {
    return block_.part(memory, picture_);
  }

 private:
  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view variant) const override;
  /// A sample of a plane.
  struct Place {
    std::size_t plane, x, y;
  };
  [[nodiscard]] std::size_t sample_bytes() const { return work_.bits == 8 ? 1 : 2; }
  /// The planes, counted from the block's first byte.
  [[nodiscard]] qpu::PicturePlanes planes_in_block() const;
  [[nodiscard]] std::optional<Place> place_of(std::size_t byte) const;
  [[nodiscard]] std::optional<std::size_t> unit_at(const Place& place) const;
  void index_cells();

  LoopFilterWork work_;
  GuardedBlock block_;
  std::size_t picture_;
  // Of each plane: the last edge that touches each group of 4x4 samples.
  std::array<std::vector<std::optional<std::size_t>>, 3> cells_;
};

/// A whole picture with all its edges, filtered as a decoder filters it.
class LoopFilterPictureWorkload final : public LoopFilterWorkload {
 public:
  /// `samples` are 4:2:0 or 4:4:4 of 8, 10 or 12 bits, as the filter gets them.
  LoopFilterPictureWorkload(video::Picture samples, const vp9::LoopFilterEdges& edges,
                            int sharpness);

  /// With several threads the decoder's own stage divides the picture.
  Nanoseconds run_neon_on(ThreadTeam& team, std::span<std::byte> memory) const override;

  /// The same by other tables.
  Nanoseconds run_stage(const vp9::DspTables& dsp, ThreadTeam& team,
                        std::span<std::byte> memory) const;

 private:
  void fill(std::span<std::byte> picture) const override;
  [[nodiscard]] std::string place(std::size_t plane, std::size_t x, std::size_t y) const override;

  video::Picture samples_;
  vp9::LoopFilterEdges edges_;
  std::unique_ptr<vp9::BackEnd> stage_;  ///< keeps memory between pictures, for one caller
};

}  // namespace sidecore::bench
