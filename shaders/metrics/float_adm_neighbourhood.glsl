// Neighbourhoods of samples in the bands of float_adm.

#include "metrics/adm_mirroring.glsl"

// Returns the first plane of the details that mask. Restored detail is masked by the impairment, the
// impairment by the restored detail.
uint masking_planes(uint threshold_plane) {
  return (threshold_plane == 0u ? 2u : 1u) * kAdmShaderBands;
}
