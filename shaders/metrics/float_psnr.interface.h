// Interface of float_psnr.comp and float_psnr_total.comp. GLSL and C++ both include this file.
#ifndef SIDECORE_FLOAT_PSNR_INTERFACE_H
#define SIDECORE_FLOAT_PSNR_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Number of rows that one workgroup of float_psnr.comp sums.
SIDECORE_CONST uint kPsnrStripRows = 16u;

// float_psnr.comp: workgroup k sums the squared differences of rows 16k .. 16k+15.
// - Binding 0, read: reference luma, rows as 16-byte vectors.
// - Binding 1, read: distorted luma.
// - Binding 2, written: one 64-bit sum per strip, low word first.
// - constant_id 0: bits per sample (8, 10, 12 or 16).
struct PsnrPush {
  uint width;             // width in samples
  uint height;            // number of rows
  uint reference_stride;  // distance between rows, in 16-byte vectors
  uint distorted_stride;
};

// float_psnr_total.comp: adds the sums of the strips in one workgroup.
// - Binding 0, read: the sums of the strips.
// - Binding 1, written: their total, low word first.
struct PsnrTotalPush {
  uint strips;
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
