// Whole pictures for the loop filter where no stream gives them: edges of all kinds, and samples.
#pragma once

#include <cstdint>
#include <vector>

#include "gates/kernel.h"
#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// How often units of 8x8 samples have what, in tenths.
struct EdgeMix {
  std::uint32_t border = 8;  ///< a left or above border
  std::uint32_t width_4 = 2;
  std::uint32_t width_16 = 4;
  std::uint32_t inner_4 = 2;  ///< also the boundary in the middle
};

/// Edges as a stream of small blocks could have them: widths and levels drawn, order and places
/// those of the specification's section 8.8.1: superblocks in raster order, in each plane after
/// plane, vertical boundaries before horizontal ones, each by rows. `format` is 4:2:0 or 4:4:4;
/// only whole units of 8x8 samples have edges.
[[nodiscard]] std::vector<vp9::LoopFilterEdge> random_edges(const video::PictureFormat& format,
                                                            const EdgeMix& mix, std::uint64_t seed);

/// Fills a whole picture of any depth, whatever its edges.
///   random         uniform noise;
///   smooth         a slow gradient; blocks of 8x8 samples are off it by up to 2 eight-bit steps;
///   flat           one value; blocks of 8x8 samples are off it by up to 2, samples by up to 1;
///   high_variance  areas of nearly constant samples beside noise and ramps: every branch.
/// `content` must not be Content::input.
void fill_picture(gates::Content content, video::Picture& picture, std::uint64_t seed);

}  // namespace sidecore::bench
