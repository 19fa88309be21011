// Code shared by the two decimations of SSIM (metrics/decimation.h). The including shader defines kKind,
// kFactor, `words` and `push`.

const int kStep = kFactor == 0u ? 2 : int(kFactor);
const int kTaps = kFactor == 0u ? 9 : int(kFactor);
const int kBefore = kTaps / 2;

// Comparisons select the value, because V3D's driver copies an array with a variable index to memory.
float chosen(int i, float at_0, float at_1, float at_2, float at_3, float at_4) {
  return i == 0 ? at_0 : (i == 1 ? at_1 : (i == 2 ? at_2 : (i == 3 ? at_3 : at_4)));
}

// Weights of row v of 9, from the left to the middle; the other four mirror them.
struct HalvingRow {
  float at_0, at_1, at_2, at_3, at_4;
};
HalvingRow halving_row(int v) {
  const int i = 4 - abs(v - 4);
  return HalvingRow(chosen(i, .000714, -.000450, -.002090, .007132, .016114),
                    chosen(i, -.000450, .000283, .001316, -.004490, -.010146),
                    chosen(i, -.002090, .001316, .006115, -.020867, -.047149),
                    chosen(i, .007132, -.004490, -.020867, .071207, .160885),
                    chosen(i, .016114, -.010146, -.047149, .160885, .363505));
}

float weight(HalvingRow row, int u) {
  if (kFactor != 0u) return push.weight;
  return chosen(4 - abs(u - 4), row.at_0, row.at_1, row.at_2, row.at_3, row.at_4);
}

// Returns an index inside the plane. Mirroring repeats the border sample.
int mirror(int index, int size) {
  const int from_start = index < 0 ? -1 - index : index;
  return from_start < size ? from_start : 2 * size - 1 - from_start;
}

float sample_at(int x, int y) {
  const uint column = uint(mirror(x, int(push.width)));
  const uint row = uint(mirror(y, int(push.height)));
  const uint shift = samples_shift(kKind);
  const uint word = words[row * push.stride + (column >> shift)];
  return sample_of(kKind, word, column & ((1u << shift) - 1u), push.unit);
}

// Returns the weighted sum of a sample's taps from `left` and `top` on, and if it is certified. Magnitudes
// of the weights add up to less than 1.91, so the sum stays below 3.82 * 2^e. Over 100 terms rounding loses
// less than 2600 * 2^-24 quanta; the bound is 4096 * 2^-24.
float certified_sum(int left, int top, out bool certified) {
  float magnitude = 0.0;
  for (int v = 0; v < kTaps; ++v) {
    for (int u = 0; u < kTaps; ++u) {
      magnitude = max(magnitude, abs(sample_at(left + u, top + v)));
    }
  }
  const Anchor anchor = make_anchor(magnitude, 8.0, 2.44140625e-4);
  float high = anchor.value;
  float low = 0.0;
  for (int v = 0; v < kTaps; ++v) {
    const HalvingRow row = halving_row(v);
    for (int u = 0; u < kTaps; ++u) {
      precise const float product = sample_at(left + u, top + v) * weight(row, u);
      add_terms(high, low, product);
    }
  }
  return certified_sums(high, low, anchor, certified);
}
