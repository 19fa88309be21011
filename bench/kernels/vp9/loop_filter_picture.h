// Synthetic whole pictures for the loop filter: edges of all kinds, and samples.
#pragma once

#include <cstdint>
#include <vector>

#include "gates/kernel.h"
#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Frequency, in tenths, with which a unit of 8x8 samples has each kind of edge.
struct EdgeMix {
  std::uint32_t border = 8;  ///< edges on the unit's left or upper side
  std::uint32_t width_4 = 2;
  std::uint32_t width_16 = 4;
  std::uint32_t inner_4 = 2;  ///< edges in the unit's middle, of width 4
};

/// Returns edges as a stream of small blocks could have them, with random widths and levels. Order
/// and positions follow the VP9 specification, section 8.8.1: superblocks in raster order; in each,
/// plane after plane; vertical edges before horizontal ones, each by rows. `format` must be 4:2:0
/// or 4:4:4. Only whole units of 8x8 samples have edges.
[[nodiscard]] std::vector<vp9::LoopFilterEdge> random_edges(const video::PictureFormat& format,
                                                            const EdgeMix& mix, std::uint64_t seed);

/// Fills a whole picture of any bit depth, independent of its edges.
/// - random: uniform noise.
/// - smooth: a slow gradient; blocks of 8x8 samples differ from it by up to 2 eight-bit steps.
/// - flat: one value; blocks of 8x8 samples differ from it by up to 2, samples by 1 more.
/// - high_variance: areas of nearly constant samples beside noise and ramps, so that every branch
///   occurs.
/// `content` must not be Content::input.
void fill_picture(gates::Content content, video::Picture& picture, std::uint64_t seed);

}  // namespace sidecore::bench
