// The decoder's kernels for NEON; on x86 the same source compiles through SIMDe.
#pragma once

#include <cstdint>

#include "vp9/dsp.h"

namespace sidecore::neon {

/// The scalar tables with NEON's kernels put over them.
[[nodiscard]] const vp9::DspTables& vp9_dsp();

/// What each of NEON's kernels puts into a table: KERNEL.cpp, and KERNEL_hbd.cpp for high bit
/// depth.
void add_loop_filter(vp9::Dsp<std::uint8_t>& dsp);
void add_loop_filter(vp9::Dsp<std::uint16_t>& dsp);
void add_inverse_transforms(vp9::Dsp<std::uint8_t>& dsp);
void add_inverse_transforms(vp9::Dsp<std::uint16_t>& dsp);
void add_inter_copies(vp9::Dsp<std::uint8_t>& dsp);
void add_inter_copies(vp9::Dsp<std::uint16_t>& dsp);
/// All of it but copies.
void add_inter_prediction(vp9::Dsp<std::uint8_t>& dsp);
void add_inter_prediction(vp9::Dsp<std::uint16_t>& dsp);
void add_intra_predictions(vp9::Dsp<std::uint8_t>& dsp);
void add_intra_predictions(vp9::Dsp<std::uint16_t>& dsp);

}  // namespace sidecore::neon
