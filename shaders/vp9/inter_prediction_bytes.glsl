// The parts of inter_prediction_strip.glsl that depend on the sample format, for 8-bit samples. A sample to
// be filtered is half a word, the binary16 number 512.5 + sample. Between 512 and 1024 the lowest bit is
// worth a half, so a shift, a mask and a sum convert two bytes at once. Taps add up to 1, so the filtered
// value is 512.5 + filtered sample. Its integer part is 512 + rounded sample.

// Pairs of samples of a row: 0 and 2, 1 and 3, 4 and 6, 5 and 7. A strip 4 wide uses the first two pairs.
#define Samples uvec4

uint even_samples(uint word) { return ((word << 1) & 0x01fe01feu) + 0x60016001u; }
uint odd_samples(uint word) { return ((word >> 7) & 0x01fe01feu) + 0x60016001u; }

float filtered_sample(uvec4 taps, float s0, float s1, float s2, float s3, float s4, float s5, float s6,
                      float s7) {
  const vec2 t01 = unpackHalf2x16(taps.x);
  const vec2 t23 = unpackHalf2x16(taps.y);
  const vec2 t45 = unpackHalf2x16(taps.z);
  const vec2 t67 = unpackHalf2x16(taps.w);
  const float sum = t01.x * s0 + t01.y * s1 + t23.x * s2 + t23.y * s3 + t45.x * s4 + t45.y * s5 +
                    t67.x * s6 + t67.y * s7;
  return floor(min(max(sum, 512.0), 767.5));
}

// Returns two values in the form 512 + filtered sample.
uint filtered_pair(uvec4 taps, uint s0, uint s1, uint s2, uint s3, uint s4, uint s5, uint s6, uint s7) {
  const vec2 a = unpackHalf2x16(s0);
  const vec2 b = unpackHalf2x16(s1);
  const vec2 c = unpackHalf2x16(s2);
  const vec2 d = unpackHalf2x16(s3);
  const vec2 e = unpackHalf2x16(s4);
  const vec2 f = unpackHalf2x16(s5);
  const vec2 g = unpackHalf2x16(s6);
  const vec2 h = unpackHalf2x16(s7);
  return packHalf2x16(vec2(filtered_sample(taps, a.x, b.x, c.x, d.x, e.x, f.x, g.x, h.x),
                           filtered_sample(taps, a.y, b.y, c.y, d.y, e.y, f.y, g.y, h.y)));
}

Samples filtered(uvec4 taps, Samples s0, Samples s1, Samples s2, Samples s3, Samples s4, Samples s5,
                 Samples s6, Samples s7) {
  Samples result = uvec4(0u);
  result.x = filtered_pair(taps, s0.x, s1.x, s2.x, s3.x, s4.x, s5.x, s6.x, s7.x);
  result.y = filtered_pair(taps, s0.y, s1.y, s2.y, s3.y, s4.y, s5.y, s6.y, s7.y);
  if (kStripWidth == 8u) {
    result.z = filtered_pair(taps, s0.z, s1.z, s2.z, s3.z, s4.z, s5.z, s6.z, s7.z);
    result.w = filtered_pair(taps, s0.w, s1.w, s2.w, s3.w, s4.w, s5.w, s6.w, s7.w);
  }
  return result;
}

uvec2 packed(Samples s) {
  const uint bias = 0x30003000u + (0x60006000u << 7);
  return uvec2((s.x >> 1) + (s.y << 7) - bias, (s.z >> 1) + (s.w << 7) - bias);
}

uint mean(uint a, uint b) { return (a | b) - (((a ^ b) >> 1) & 0x7f7f7f7fu); }
uvec2 mean(uvec2 a, uvec2 b) { return uvec2(mean(a.x, b.x), mean(a.y, b.y)); }

// Filters a row. `words` begin with the sample that the first tap reads for the first output sample.
Samples filtered_row(uvec4 taps, Words words) {
  const vec2 e0 = unpackHalf2x16(even_samples(words.at[0]));
  const vec2 o0 = unpackHalf2x16(odd_samples(words.at[0]));
  const vec2 e1 = unpackHalf2x16(even_samples(words.at[1]));
  const vec2 o1 = unpackHalf2x16(odd_samples(words.at[1]));
  const vec2 e2 = unpackHalf2x16(even_samples(words.at[2]));
  const vec2 o2 = unpackHalf2x16(odd_samples(words.at[2]));
  const vec2 e3 = unpackHalf2x16(even_samples(words.at[3]));
  const vec2 o3 = unpackHalf2x16(odd_samples(words.at[3]));
  Samples result = uvec4(0u);
  result.x = packHalf2x16(vec2(filtered_sample(taps, e0.x, o0.x, e0.y, o0.y, e1.x, o1.x, e1.y, o1.y),
                               filtered_sample(taps, e0.y, o0.y, e1.x, o1.x, e1.y, o1.y, e2.x, o2.x)));
  result.y = packHalf2x16(vec2(filtered_sample(taps, o0.x, e0.y, o0.y, e1.x, o1.x, e1.y, o1.y, e2.x),
                               filtered_sample(taps, o0.y, e1.x, o1.x, e1.y, o1.y, e2.x, o2.x, e2.y)));
  if (kStripWidth == 8u) {
    result.z = packHalf2x16(vec2(filtered_sample(taps, e1.x, o1.x, e1.y, o1.y, e2.x, o2.x, e2.y, o2.y),
                                 filtered_sample(taps, e1.y, o1.y, e2.x, o2.x, e2.y, o2.y, e3.x, o3.x)));
    result.w = packHalf2x16(vec2(filtered_sample(taps, o1.x, e1.y, o1.y, e2.x, o2.x, e2.y, o2.y, e3.x),
                                 filtered_sample(taps, o1.y, e2.x, o2.x, e2.y, o2.y, e3.x, o3.x, e3.y)));
  }
  return kVertical != 0u ? result + 0x00010001u : result;
}

Samples samples_of(Words words) {
  return uvec4(even_samples(words.at[0]), odd_samples(words.at[0]), even_samples(words.at[1]),
               odd_samples(words.at[1]));
}
