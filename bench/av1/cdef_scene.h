// Random pictures and frames for CDEF, for gates and tests.
#pragma once

#include <cstdint>

#include "av1/cdef.h"
#include "base/random.h"
#include "video/picture.h"

namespace sidecore::av1 {

/// Kinds of samples: noise; the lowest and the highest value; a ramp with a random slope; one value
/// and the value above it.
enum class CdefSamples : std::uint8_t { noise, extreme, ramp, flat };

/// Fills the planes of a picture of any bit depth.
void fill_cdef_picture(video::Picture& picture, CdefSamples kind, Random& random);

/// Returns a frame with random strengths, in which three of four blocks are filtered. Half of all
/// primary strengths and a quarter of all secondary ones are 0.
[[nodiscard]] CdefFrame random_cdef_frame(const video::PictureFormat& format, Random& random);

}  // namespace sidecore::av1
