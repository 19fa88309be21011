// The kinds of blocks that kernels treat in separate code paths, and their names in tables of
// results.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "vp9/dsp.h"

namespace sidecore::vp9 {

inline constexpr std::array<const char*, kInterKinds.size()> kInterKindNames{
    "copy", "horizontal", "vertical", "both", "scaled"};
inline constexpr std::array<const char*, kIntraPredictors> kIntraPredictorNames{
    "dc",   "v",   "h",  "d45",         "d135",       "d117",         "d153",
    "d207", "d63", "tm", "dc of above", "dc of left", "dc of nothing"};
inline constexpr std::array<const char*, kTransformTypes> kTransformTypeNames{
    "dct_dct", "adst_dct", "dct_adst", "adst_adst", "wht"};

/// A class of transform blocks, by which coefficients may be nonzero.
struct Extent {
  const char* name;
  int side;    ///< nonzero coefficients lie in this many rows and columns; 0: in all
  bool large;  ///< true: the magnitudes add up to more than TransformBlock::kNarrowSum
};
inline constexpr std::array kExtents = {Extent{"DC", 1, false},  Extent{"4x4", 4, false},
                                        Extent{"8x8", 8, false}, Extent{"16x16", 16, false},
                                        Extent{"all", 0, false}, Extent{"all, large", 0, true}};

/// Returns true if this decoder or another one has a separate code path for this extent, different
/// from that of the next larger extent.
constexpr bool has_separate_code_path(const Extent& extent, int size, TransformType type) {
  return extent.side < size && !(extent.side == 1 && type != kDctDct) &&
         !(extent.side == 4 && size == 32);
}

/// Name of a kind of block in docs/neon-instructions.md.
struct BlockKind {
  std::string kernel;
  std::string input;
};

inline BlockKind kind_of_inter(InterKind kind, bool average, int size) {
  return {fmt::format("inter_prediction {}", kInterKindNames[static_cast<std::size_t>(kind)]),
          fmt::format("{0}x{0}{1}", size, average ? " average" : "")};
}

inline BlockKind kind_of_intra(std::size_t predictor, int size) {
  return {"intra", fmt::format("{0} {1}x{1}", kIntraPredictorNames[predictor], size)};
}

inline BlockKind kind_of_transform(int size, TransformType type, const Extent& extent) {
  return {fmt::format("inverse_transform {0}x{0} {1}", size, kTransformTypeNames[type]),
          extent.name};
}

/// Returns the smallest extent that contains all of the block's coefficients.
inline const Extent& find_extent(const TransformBlock& block) {
  const int side = std::max(block.rows, block.columns);
  return *std::ranges::find_if(kExtents, [&](const Extent& extent) {
    return extent.large != block.narrow && (extent.side == 0 || extent.side >= side) &&
           has_separate_code_path(extent, 4 << block.size, block.type);
  });
}

}  // namespace sidecore::vp9
