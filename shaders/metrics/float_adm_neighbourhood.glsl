// Neighbourhoods of samples in the bands of float_adm.

#include "metrics/adm_mirroring.glsl"

// Returns the first plane of the details that set a threshold: the impairment for restored detail, the
// restored detail for the impairment.
uint masking_planes(uint threshold_plane) {
  return (threshold_plane == 0u ? 2u : 1u) * kAdmShaderBands;
}
