// Kinds of calls of the deblocking kernels: the rows of the table in docs/neon-instructions.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

#include "h264/deblocking.h"

namespace sidecore::h264 {

/// Kernel and input of a row. Calls of the same kind run the same code.
struct DeblockingKind {
  std::string_view kernel;  ///< "h264_deblocking luma vertical"
  std::string_view input;   ///< "bS 4"

  friend bool operator<(const DeblockingKind& a, const DeblockingKind& b) {
    return std::tie(a.kernel, a.input) < std::tie(b.kernel, b.input);
  }
};

/// Kind of the work for a macroblock besides the calls for its edges.
inline constexpr DeblockingKind kMacroblockKind{"h264_deblocking macroblock", "no edge"};

/// Returns the kind of a call of DeblockingKernels::luma. Inputs: "mask not met", "bS 1 to 3", "bS
/// 4, p0 and q0" and "bS 4".
[[nodiscard]] DeblockingKind kind_of_luma(const std::uint8_t* q0, std::ptrdiff_t stride,
                                          EdgeDirection direction, const Strengths& strengths,
                                          const EdgeThresholds& thresholds);
/// Returns the kind of a call of DeblockingKernels::chroma. Inputs: "mask not met", "bS 1 to 3" and
/// "bS 4".
[[nodiscard]] DeblockingKind kind_of_chroma(const std::array<std::uint8_t*, 2>& q0,
                                            std::ptrdiff_t stride, EdgeDirection direction,
                                            const Strengths& strengths,
                                            const std::array<EdgeThresholds, 2>& thresholds);

/// Deblocks a picture by the scalar definition, and returns how often each kind occurs.
[[nodiscard]] std::map<DeblockingKind, double> count_kinds(const Planes& planes,
                                                           std::span<const Macroblock> macroblocks);

}  // namespace sidecore::h264
