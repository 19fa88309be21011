// ciede: colour difference CIEDE2000 (Sharma, Wu, Dalal, "The CIEDE2000 color-difference formula",
// 2005) of each pair of samples, as libvmaf's feature ciede computes it: in a mixture of binary32
// and binary64 that its scores depend on. Implementations share this header.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// Rows of Y, U and V with the same number of samples.
using CiedeRows = std::array<const std::uint16_t*, 3>;

/// Writes the colour differences of `width` samples (scalar definition). Other implementations give
/// the same bits. Y, U and V are those of BT.709 in the limited range.
void ciede_differences(const CiedeRows& reference, const CiedeRows& distorted, int bits, int width,
                       float* to);

/// Makes a kernel of the family ciede from an implementation of ciede_differences().
[[nodiscard]] std::unique_ptr<PairKernel> make_ciede_kernel(
    const video::PictureFormat& format, std::size_t threads,
    decltype(&ciede_differences) differences);

}  // namespace sidecore::metrics
