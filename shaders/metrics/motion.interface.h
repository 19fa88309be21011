// Interface of motion.comp. GLSL and C++ both include this file.
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

// Number of rows that one workgroup sums; the next constant is the number of samples per row that
// an invocation processes.
SIDECORE_CONST uint kMotionStripRows = 16u;
SIDECORE_CONST uint kMotionColumn = 4u;

// motion.comp: workgroup k sums |blur(previous - current)| over rows 16k .. 16k+15 of planes of at
// least 3x3 samples.
// - Binding 0, read: luma of the earlier picture; binding 1, read: luma of the later one. Their
//   rows are words and must start at multiples of 16 bytes.
// - Binding 2, written: one 64-bit sum per strip, low word first; float_psnr_total.comp adds them.
// - constant_id 0: bits per sample (8, 10, 12 or 16).
struct MotionPush {
  uint width;   // width in samples
  uint height;  // number of rows
  uint stride;  // distance between rows in words, the same for both pictures
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
