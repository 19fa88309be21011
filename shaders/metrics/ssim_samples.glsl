// Reads samples of a plane of bytes, 16-bit words or floats, as numbers in 0..255.x.

// Returns log2 of the number of samples per word.
uint samples_shift(uint kind) { return kind == kSsimBytes ? 2u : (kind == kSsimWords ? 1u : 0u); }

// Returns sample `place` of a word. Integers are scaled exactly.
float sample_of(uint kind, uint word, uint place, float unit) {
  if (kind == kSsimFloats) return uintBitsToFloat(word);
  const int bits = kind == kSsimBytes ? 8 : 16;
  precise const float scaled = float(bitfieldExtract(word, int(place) * bits, bits)) * unit;
  return scaled;
}
