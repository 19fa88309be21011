// Narrow (4-tap) loop filter of VP9 on one line of samples: "Filter mask process" and "Narrow filter process"
// of the VP9 specification's section 8.8, for 8-bit samples in 32-bit integers.

struct Limits {
  int blimit;  // E: limit of steps across the boundary
  int limit;   // I: limit of steps on either side
  int thresh;  // H: threshold of high edge variance
};

Limits unpack_limits(uint packed_limits) {
  return Limits(int(packed_limits & 0xffu), int((packed_limits >> 8) & 0xffu),
                int((packed_limits >> 16) & 0xffu));
}

bool filter_mask(Limits limits, int p3, int p2, int p1, int p0, int q0, int q1, int q2, int q3) {
  const int steps = max(max(max(abs(p3 - p2), abs(p2 - p1)), abs(p1 - p0)),
                        max(max(abs(q1 - q0), abs(q2 - q1)), abs(q3 - q2)));
  const int across = 2 * abs(p0 - q0) + (abs(p1 - q1) >> 1);
  return steps <= limits.limit && across <= limits.blimit;
}

bool high_edge_variance(Limits limits, int p1, int p0, int q0, int q1) {
  return max(abs(p1 - p0), abs(q1 - q0)) > limits.thresh;
}

int clamp_signed_char(int value) { return clamp(value, -128, 127); }

// Returns the filtered (p1, p0, q0, q1). If `mask` is false, the samples stay as they are: every correction
// follows from `base`, which is then 0. Differences of samples equal differences of the specification's
// signed samples (value - 128), so only the final clamp changes: to 0..255 instead of -128..127.
ivec4 narrow_filter(bool mask, bool hev, int p1, int p0, int q0, int q1) {
  const int outer = hev ? clamp_signed_char(p1 - q1) : 0;
  const int base = mask ? clamp_signed_char(3 * (q0 - p0) + outer) : 0;
  const int filter1 = min(base + 4, 127) >> 3;
  const int filter2 = min(base + 3, 127) >> 3;
  const int inner = hev ? 0 : (filter1 + 1) >> 1;
  return clamp(ivec4(p1 + inner, p0 + filter2, q0 - filter1, q1 - inner), 0, 255);
}
