// Neighbourhoods of samples in the bands of float_adm.

// Mirrors an index: whole-sample mirroring before the first sample, half-sample mirroring after the last.
uint mirrored(int index, uint length) {
  const uint at = uint(abs(index));
  return at >= length ? 2u * length - 1u - at : at;
}

// Returns the first plane of the details that mask. Restored detail is masked by the impairment, the
// impairment by the restored detail.
uint masking_planes(uint threshold_plane) {
  return (threshold_plane == 0u ? 2u : 1u) * kAdmShaderBands;
}
