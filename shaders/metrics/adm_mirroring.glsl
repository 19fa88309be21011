// Mirroring at the borders of the planes of adm and float_adm.

// Mirrors an index: whole-sample mirroring before the first sample, half-sample mirroring after the last
// sample.
uint mirrored(int index, uint length) {
  const uint at = uint(abs(index));
  return at >= length ? 2u * length - 1u - at : at;
}
