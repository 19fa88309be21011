// Neighbourhoods in float_adm's bands.

// Whole-sample mirroring before the first, half-sample mirroring after the last.
uint mirrored(int index, uint length) {
  const uint at = uint(abs(index));
  return at >= length ? 2u * length - 1u - at : at;
}

// First plane of the details that mask for a plane of thresholds: restored detail is masked by the
// impairment, the impairment by the restored detail.
uint masking_planes(uint threshold_plane) {
  return (threshold_plane == 0u ? 2u : 1u) * kAdmShaderBands;
}
