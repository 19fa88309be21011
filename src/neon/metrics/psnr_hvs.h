// NEON implementation of metrics/psnr_hvs.h: the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metrics/psnr_hvs.h"

namespace sidecore::neon {

/// A run: up to 16 neighbouring blocks of a row of blocks. Its terms are 64 vectors, one a
/// coefficient, with a lane a block: term n of block b is [16 n + b]. Lanes behind a plane's last
/// column hold 0.
inline constexpr std::size_t kHvsRunBlocks = 16;
inline constexpr std::size_t kHvsRunTerms = metrics::kHvsTerms * kHvsRunBlocks;

/// Runs in a row of blocks.
[[nodiscard]] std::size_t hvs_runs(const metrics::HvsGrid& grid);

/// A plane of two pictures. Samples have at most 12 bits.
template <class Sample>
struct HvsPlanes {
  video::PlaneView<const Sample> reference;
  video::PlaneView<const Sample> distorted;
  int plane = 0;  ///< 0 (Y), 1 (Cb) or 2 (Cr)
  metrics::HvsGrid grid;
};

/// Implementations of metrics::hvs_block_terms() for all blocks of the row of blocks `row`:
/// kHvsRunTerms for each of hvs_runs(), one run after the other.
void hvs_row_terms(const HvsPlanes<std::uint8_t>& planes, int row, std::span<float> terms);
void hvs_row_terms(const HvsPlanes<std::uint16_t>& planes, int row, std::span<float> terms);

/// `sum` after the terms of some runs have been added to it one after another, block after block,
/// each addition rounded to binary32. Terms are finite and not negative; there are kHvsRunTerms a
/// run.
[[nodiscard]] float hvs_add_in_order(float sum, std::span<const float> terms);

}  // namespace sidecore::neon
