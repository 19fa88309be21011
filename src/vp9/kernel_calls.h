// Counts which kernels a decoder calls and how often. The counts weight the table of
// docs/neon-instructions.md and the cycles in models of other CPUs.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "vp9/block_kinds.h"
#include "vp9/dsp.h"
#include "vp9/noting_tables.h"

namespace sidecore::vp9 {

/// Numbers of calls of block kernels in DspTables.
struct KernelCalls {
  static constexpr std::size_t kInterSizes = 5;  ///< widths of 4, 8, 16, 32, 64
  /// Numbers of inter predicted blocks: [average][InterKind][width]. A block that is not square
  /// counts as height / width blocks.
  std::array<std::array<std::array<double, kInterSizes>, kInterKinds.size()>, 2> inter{};
  /// Numbers of intra predicted blocks: [mode or DcPredictor][size].
  std::array<std::array<double, kTransformSizes>, kIntraPredictors> intra{};
  /// Numbers of transformed blocks: [size][type][extent in kExtents].
  std::array<std::array<std::array<double, kExtents.size()>, kTransformTypes>, kTransformSizes>
      transforms{};
  double prediction_calls = 0;  ///< calls of inter and intra prediction kernels
  double transform_calls = 0;
};

struct CountedBlocks {
  BlockKind kind;
  double blocks = 0;  ///< number of square blocks, more than 0
};
/// Returns the counts of all kinds of inter and intra predictions that were called.
[[nodiscard]] std::vector<CountedBlocks> predictions(const KernelCalls& calls);
[[nodiscard]] std::vector<CountedBlocks> transforms(const KernelCalls& calls);

/// Returns tables that count each call and then run scalar_dsp(). They may be called only while a
/// CallCounting exists on the thread.
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

/// Adds the calls of counting_dsp() on this thread to `calls` as long as the object exists.
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
  RecordingTables<InterCallCounter>::CallRecordingScope noting_inter_;
  RecordingTables<IntraCallCounter>::CallRecordingScope noting_intra_;
  RecordingTables<TransformCallCounter>::CallRecordingScope noting_transforms_;
};

}  // namespace sidecore::vp9
