// The parts of inter_prediction_strip.glsl that depend on the sample format, for samples of 10 and 12 bits.
// Each sample is a float, because binary16 is one bit too short for 12 bits.

layout(constant_id = kInterBitsConstant) const uint kBits = 10u;

#define Samples vec4

Samples filtered(vec4 low, vec4 high, Samples s0, Samples s1, Samples s2, Samples s3, Samples s4,
                 Samples s5, Samples s6, Samples s7) {
  const vec4 sum = low.x * s0 + low.y * s1 + low.z * s2 + low.w * s3 + high.x * s4 + high.y * s5 +
                   high.z * s6 + high.w * s7;
  const float most = float((1u << kBits) - 1u);
  return floor(min(max(sum + 0.5, 0.0), most + 0.5));
}

Samples filtered(uvec4 taps, Samples s0, Samples s1, Samples s2, Samples s3, Samples s4, Samples s5,
                 Samples s6, Samples s7) {
  return filtered(vec4(unpackHalf2x16(taps.x), unpackHalf2x16(taps.y)),
                  vec4(unpackHalf2x16(taps.z), unpackHalf2x16(taps.w)), s0, s1, s2, s3, s4, s5, s6, s7);
}

Samples samples_of(uint a, uint b) { return vec4(a & 0xffffu, a >> 16, b & 0xffffu, b >> 16); }
Samples samples_of(Words words) { return samples_of(words.at[0], words.at[1]); }

// Filters a row. `words` begin with the sample that the first tap reads for the first output sample.
Samples filtered_row(uvec4 taps, Words words) {
  const vec4 a = samples_of(words.at[0], words.at[1]);
  const vec4 b = samples_of(words.at[2], words.at[3]);
  const vec4 c = samples_of(words.at[4], words.at[5]);
  return filtered(taps, a, vec4(a.yzw, b.x), vec4(a.zw, b.xy), vec4(a.w, b.xyz), b, vec4(b.yzw, c.x),
                  vec4(b.zw, c.xy), vec4(b.w, c.xyz));
}

uvec2 packed(Samples s) {
  const uvec4 whole = uvec4(s);
  return uvec2(whole.x | whole.y << 16, whole.z | whole.w << 16);
}

uint mean(uint a, uint b) { return (a | b) - (((a ^ b) >> 1) & 0x7fff7fffu); }
uvec2 mean(uvec2 a, uvec2 b) { return uvec2(mean(a.x, b.x), mean(a.y, b.y)); }
