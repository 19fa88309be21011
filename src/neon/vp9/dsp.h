// NEON implementation of the decoder's kernels; on x86 the same source compiles through SIMDe.
#pragma once

#include <cstdint>

#include "vp9/dsp.h"

namespace sidecore::neon {

/// Returns the scalar tables with NEON's kernels in place of the scalar ones.
[[nodiscard]] const vp9::DspTables& vp9_dsp();

/// Functions that write NEON's kernels of one stage into a table. Each is defined in KERNEL.cpp, or
/// in KERNEL_hbd.cpp for high bit depth.
void add_loop_filter(vp9::Dsp<std::uint8_t>& dsp);
void add_loop_filter(vp9::Dsp<std::uint16_t>& dsp);
void add_inverse_transforms(vp9::Dsp<std::uint8_t>& dsp);
void add_inverse_transforms(vp9::Dsp<std::uint16_t>& dsp);
void add_inter_copies(vp9::Dsp<std::uint8_t>& dsp);
void add_inter_copies(vp9::Dsp<std::uint16_t>& dsp);
/// Adds all kernels of inter prediction except copies to the table.
void add_inter_prediction(vp9::Dsp<std::uint8_t>& dsp);
void add_inter_prediction(vp9::Dsp<std::uint16_t>& dsp);
void add_intra_predictions(vp9::Dsp<std::uint8_t>& dsp);
void add_intra_predictions(vp9::Dsp<std::uint16_t>& dsp);

}  // namespace sidecore::neon
