// Interface of motion.comp, read by GLSL and by C++.
#ifndef SIDECORE_MOTION_INTERFACE_H
#define SIDECORE_MOTION_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Rows that one workgroup sums, and samples that an invocation does of each.
SIDECORE_CONST uint kMotionStripRows = 16u;
SIDECORE_CONST uint kMotionColumn = 4u;

// Workgroup k sums |blur(previous - current)| over rows 16k .. 16k+15 of planes of at least 3x3
// samples. Binding 0, read: luma of the earlier picture, binding 1, read: of the later one, rows as
// words that start at multiples of 16 bytes. Binding 2, written: a 64-bit sum a strip, low
// word first, for float_psnr_total.comp to add. constant_id 0: bits per sample (8, 10, 12 or 16).
struct MotionPush {
  uint width;   // samples
  uint height;  // rows
  uint stride;  // words from a row to the next, of both
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
