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

/// Bytes of the widest load of NEON's kernels: one register.
inline constexpr int kLoadBytes = 16;

/// Reads of samples by NEON's kernels. A row of a block is read with as few loads of kLoadBytes as
/// reach all its samples. Memory that is not cached costs time per load, however few bytes it has.
struct SampleReads {
  double bytes = 0;
  double loads = 0;  ///< loads of at most kLoadBytes bytes
};

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
  /// Samples of reference frames that inter prediction reads, those around a block included.
  SampleReads reference_reads{};
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

/// Returns the reads of reference samples by one call of a prediction. `sample_bytes` is 1 or 2.
///   - Filtered along an axis, a block reads kTaps - 1 samples more along it.
///   - A strip as wide as one register is read row by row. Filtered along x, it takes a second load
///     if its row and the samples beside it exceed one register.
///   - A scaled prediction loads the taps of each sample of a row on their own.
[[nodiscard]] SampleReads count_reference_reads(const ReferenceArea& area, InterKind kind,
                                                int sample_bytes);

/// Returns tables that count each call and then run scalar_dsp(). They may be called only while a
/// CallCountingScope exists on the thread.
[[nodiscard]] const DspTables& counting_dsp();

struct InterCallCounter {
  KernelCalls* calls;
  static auto& entries(auto& dsp) { return dsp.inter; }
  template <class Sample, class... Rest>
  void note(std::size_t average, std::size_t kind, const Sample* from, std::ptrdiff_t from_stride,
            const ReferenceArea& area, const Rest&... /*rest*/) {
    static_cast<void>(from);
    static_cast<void>(from_stride);
    add(average, kind, area, static_cast<int>(sizeof(Sample)));
  }
  void add(std::size_t average, std::size_t kind, const ReferenceArea& area,
           int sample_bytes) const;
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
class CallCountingScope {
 public:
  explicit CallCountingScope(KernelCalls& calls)
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
