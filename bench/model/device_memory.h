// Cost for the CPU of a modelled board of accesses to pictures in the memory of its GPU, which no
// cache holds. All times are modelled; none was measured on a board.
#pragma once

#include "model/costs.h"
#include "model/frame_costs.h"
#include "model/stream.h"
#include "vp9/kernel_calls.h"
#include "vp9/plan.h"

namespace sidecore::model {

struct KernelCounts;

/// Samples that the CPU accesses.
struct SampleTraffic {
  vp9::SampleReads reads{};
  double written_bytes = 0;

  SampleTraffic& operator+=(const SampleTraffic& more);
  [[nodiscard]] SampleTraffic operator*(double times) const;
};

/// Returns the samples of pictures that NEON's kernels access in a frame with these counts, by
/// stage. `bits` is the depth of the samples.
///   - Inter prediction reads references, and the block itself if it averages.
///   - An inverse transform reads and writes its block.
///   - Intra prediction reads the row above, and the column to the left in loads of one sample.
///   - The loop filter reads vp9::read_reach() samples on both sides of 8 lines. Edges along rows
///     are filtered in pairs of 16 samples, as most are in pictures.
[[nodiscard]] vp9::PerStage<SampleTraffic> count_traffic(const KernelCounts& counts, int bits);

/// Returns the traffic of copying a picture out of the GPU's memory: each sample is read once.
[[nodiscard]] SampleTraffic count_picture_copy(const Stream& stream);

/// Returns the CPU seconds of accesses to memory that is not cached.
/// - Low end: the highest rate, as if loads of a few bytes took proportionally less time. Writes
/// take no time, because the CPU combines them into lines and goes on.
/// - Expected: the expected rate; each load takes as long as one of vp9::kLoadBytes bytes.
/// - High end: each load takes as long, at the lowest rate.
[[nodiscard]] Estimate estimate_uncached(const SampleTraffic& traffic, const UncachedRates& rates);

/// Returns the time of a stage if its samples are in memory that is not cached. `cached` is its
/// time without waiting for ordinary memory. At the low end the core overlaps work and accesses
/// perfectly; otherwise one follows the other.
[[nodiscard]] Estimate add_uncached(const Estimate& cached, const Estimate& uncached);

}  // namespace sidecore::model
