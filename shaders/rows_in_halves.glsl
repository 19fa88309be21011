// Unpacks words of four 8-bit samples into halves of words, and packs them. The including file defines
// kSamples, 255 in each half.

// Unpacks two rows of four samples, one word per row: `a` and `b`. `sK` gets sample K of both rows, one per
// 16-bit half.
void columns_of(uint a, uint b, out uint s0, out uint s1, out uint s2, out uint s3) {
  const uint ab01 = (a & 0xffffu) + (b << 16);
  const uint ab23 = (a >> 16) + (b & 0xffff0000u);
  s0 = ab01 & kSamples;
  s1 = (ab01 >> 8) & kSamples;
  s2 = ab23 & kSamples;
  s3 = (ab23 >> 8) & kSamples;
}

// Reverses columns_of(): `a` and `b` get the four samples of one row each.
void rows_of(uint s0, uint s1, uint s2, uint s3, out uint a, out uint b) {
  const uint s01 = s0 + (s1 << 8);
  const uint s23 = s2 + (s3 << 8);
  a = (s01 & 0xffffu) + (s23 << 16);
  b = (s01 >> 16) + (s23 & 0xffff0000u);
}
