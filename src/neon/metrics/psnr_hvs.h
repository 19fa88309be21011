// NEON implementation of metrics/psnr_hvs.h, with the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metrics/psnr_hvs.h"

namespace sidecore::neon {

/// Number of blocks in a run. A run is up to 16 neighbouring blocks of a row of blocks. Its terms
/// are 64 vectors, one per coefficient, with one lane per block: term n of block b is [16 n + b].
/// Lanes after a plane's last column hold 0.
inline constexpr std::size_t kHvsRunBlocks = 16;
inline constexpr std::size_t kHvsRunTerms = metrics::kHvsTerms * kHvsRunBlocks;

/// Returns the number of runs in a row of blocks.
[[nodiscard]] std::size_t hvs_runs(const metrics::HvsGrid& grid);

/// One plane of both pictures. Samples must have at most 12 bits.
template <class Sample>
struct HvsPlanes {
  video::PlaneView<const Sample> reference;
  video::PlaneView<const Sample> distorted;
  int plane = 0;  ///< index of the plane: 0 (Y), 1 (Cb) or 2 (Cr)
  metrics::HvsGrid grid;
};

/// NEON implementations of metrics::hvs_block_terms() for all blocks of row `row` of the plane's
/// blocks. `terms` receives kHvsRunTerms for each of hvs_runs() runs, one run after the other.
void hvs_row_terms(const HvsPlanes<std::uint8_t>& planes, int row, std::span<float> terms);
void hvs_row_terms(const HvsPlanes<std::uint16_t>& planes, int row, std::span<float> terms);

/// Adds the terms of some runs to `sum`, one after another, block by block; each addition rounds to
/// binary32. Terms must be finite and not negative, kHvsRunTerms per run.
[[nodiscard]] float hvs_add_in_order(float sum, std::span<const float> terms);

}  // namespace sidecore::neon
