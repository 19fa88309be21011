// Part of count_neon_instructions: the filters of AV1 and H.264.
#pragma once

namespace sidecore::bench {

/// Counts the scalar definition and NEON of CDEF and of H.264's deblocking, and prints a line for
/// each.
void count_codec_filters();

}  // namespace sidecore::bench
