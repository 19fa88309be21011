// Which kernels a decoder calls, and how often: what the table of docs/neon-instructions.md and a
// model of another CPU are multiplied with.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "vp9/block_kinds.h"
#include "vp9/dsp.h"
#include "vp9/noting_tables.h"

namespace sidecore::vp9 {

/// Calls of the entries of DspTables for blocks.
struct KernelCalls {
  static constexpr std::size_t kInterSizes = 5;  ///< widths of 4, 8, 16, 32, 64
  /// [average][InterKind][width]: blocks, counted as squares of their width.
  std::array<std::array<std::array<double, kInterSizes>, kInterKinds.size()>, 2> inter{};
  /// [mode or DcPredictor][size]
  std::array<std::array<double, kTransformSizes>, kIntraPredictors> intra{};
  /// [size][type][extent of kExtents]
  std::array<std::array<std::array<double, kExtents.size()>, kTransformTypes>, kTransformSizes>
      transforms{};
  double prediction_calls = 0;  ///< of inter and intra predictions
  double transform_calls = 0;
};

struct CountedBlocks {
  BlockKind kind;
  double blocks = 0;  ///< squares; more than 0
};
/// Inter and intra predictions of any kind that was called.
[[nodiscard]] std::vector<CountedBlocks> predictions(const KernelCalls& calls);
[[nodiscard]] std::vector<CountedBlocks> transforms(const KernelCalls& calls);

/// Tables that count, then do what scalar_dsp() does. Called only where a CallCounting lives.
[[nodiscard]] const DspTables& counting_dsp();

struct InterCallCounter {
  KernelCalls* calls;
  static auto& entries(auto& dsp) { return dsp.inter; }
  template <class... Rest>
  void note(std::size_t average, std::size_t kind, const void* from, std::ptrdiff_t from_stride,
            const ReferenceArea& area, const Rest&... /*rest*/) {
    static_cast<void>(from);
    static_cast<void>(from_stride);
    add(average, kind, area);
  }
  void add(std::size_t average, std::size_t kind, const ReferenceArea& area) const;
};
struct IntraCallCounter {
  KernelCalls* calls;
  static auto& entries(auto& dsp) { return dsp.intra; }
  template <class... Arguments>
  void note(std::size_t predictor, std::size_t size, const Arguments&... /*arguments*/) {
    calls->intra[predictor][size] += 1;
    calls->prediction_calls += 1;
  }
};
struct TransformCallCounter {
  KernelCalls* calls;
  static auto& entries(auto& dsp) { return dsp.inverse_transforms; }
  template <class... Arguments>
  void note(std::size_t size, std::size_t type, const TransformBlock& block,
            const Arguments&... /*arguments*/) {
    add(size, type, block);
  }
  void add(std::size_t size, std::size_t type, const TransformBlock& block) const;
};

/// As long as this lives, calls of counting_dsp() on this thread are added to `calls`.
class CallCounting {
 public:
  explicit CallCounting(KernelCalls& calls)
      : inter_{&calls},
        intra_{&calls},
        transforms_{&calls},
        noting_inter_(inter_),
        noting_intra_(intra_),
        noting_transforms_(transforms_) {}

 private:
  InterCallCounter inter_;
  IntraCallCounter intra_;
  TransformCallCounter transforms_;
  NotingTables<InterCallCounter>::Noting noting_inter_;
  NotingTables<IntraCallCounter>::Noting noting_intra_;
  NotingTables<TransformCallCounter>::Noting noting_transforms_;
};

}  // namespace sidecore::vp9
