// Depth as a promise: no sample of an n-bit picture is 2^n or more.
#pragma once

#include <cstdint>
#include <string>

#include "video/picture.h"

namespace sidecore::video {

/// Files keep 9 to 15 bit samples in 16-bit words, and nothing stops a damaged or mislabelled file
/// from using the upper bits. Kernels may rely on their absence (sums in 32 bits, tables), so such
/// a picture is refused where it enters: throws Error (usage) that names `source`, the picture's
/// number, and the sample.
void check_sample_range(const Picture& picture, const std::string& source, std::uint64_t number);

}  // namespace sidecore::video
