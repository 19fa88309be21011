// A workload of one loop-filter kernel: edges of its kind over a plane of samples.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/guarded_block.h"
#include "gates/kernel.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// The QPU's variants of a kind, the one to judge first.
[[nodiscard]] std::vector<gates::QpuVariant> loop_filter_variants(vp9::LoopFilterKind kind);

/// Unit: an edge. The edges satisfy vp9::check_edges() and touch whole groups of 4x4 samples, so
/// that any share of them may be filtered at any time. Where the samples come from is for derived
/// classes to say.
class LoopFilterWorkload : public gates::Workload {
 public:
  /// `edges` are all of `kind`; the plane has `rows` rows of `stride` samples, of 8 bits, or in
  /// 16-bit words up to 12. Offsets are in samples.
  LoopFilterWorkload(vp9::LoopFilterKind kind, std::size_t stride, std::size_t rows,
                     std::vector<vp9::LoopFilterEdge> edges, int bits = 8);

  [[nodiscard]] std::size_t units() const override { return edges_.size(); }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }
  void reset(std::span<std::byte> memory) const override;
  void run_scalar(std::span<std::byte> memory, gates::UnitRange units) const override;
  void run_neon(std::span<std::byte> memory, gates::UnitRange units) const override;
  [[nodiscard]] std::unique_ptr<gates::RecordedWork> record(
      qpu::Device& device, qpu::Buffer& memory, std::string_view variant) const override;
  [[nodiscard]] std::string why_not(std::string_view variant) const override;
  [[nodiscard]] std::vector<gates::BranchRate> branch_rates(
      std::span<const std::byte> memory) const override;
  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override;
  [[nodiscard]] std::string describe(std::size_t byte) const override;

 protected:
  /// Writes the pristine samples. Those that it leaves out keep the guards' pattern.
  virtual void fill(std::span<std::byte> plane) const = 0;
  /// A sample of the plane in the content's words.
  [[nodiscard]] virtual std::string place(std::size_t x, std::size_t y) const;

  [[nodiscard]] std::span<const vp9::LoopFilterEdge> edges() const { return edges_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

 private:
  [[nodiscard]] bool vertical() const;
  [[nodiscard]] std::size_t sample_bytes() const { return bits_ == 8 ? 1 : 2; }
  /// Of a byte in the plane: which sample it belongs to.
  [[nodiscard]] std::size_t sample_of(std::size_t byte) const;
  [[nodiscard]] std::span<const vp9::LoopFilterEdge> share(gates::UnitRange units) const;
  /// Samples of more than 8 bits, edge by edge.
  template <class Filter>
  void filter_each(Filter filter, std::span<std::byte> plane,
                   std::span<const vp9::LoopFilterEdge> edges) const;
  [[nodiscard]] vp9::LoopFilterBranches count_branches(std::span<const std::byte> plane) const;
  void index_cells(std::size_t rows);

  vp9::LoopFilterKind kind_;
  std::size_t stride_;
  int bits_;
  GuardedBlock block_;
  std::size_t plane_;
  std::vector<vp9::LoopFilterEdge> edges_;
  std::size_t cell_columns_ = 0;
  std::vector<std::optional<std::size_t>> cells_;  // which edge owns each group of samples
};

}  // namespace sidecore::bench
