// Checks that no sample of an n-bit picture is 2^n or more.
#pragma once

#include <cstdint>
#include <string>

#include "video/picture.h"

namespace sidecore::video {

/// Rejects a picture with a sample beyond its bit depth: throws Error (usage) that names `source`,
/// the picture's number and the sample. Files store 9- to 15-bit samples in 16-bit words, so a
/// damaged or mislabelled file may use the upper bits. Kernels rely on zeros in these bits, for
/// sums in 32 bits and for tables. Every source must therefore call this function.
void check_sample_range(const Picture& picture, const std::string& source, std::uint64_t number);

}  // namespace sidecore::video
