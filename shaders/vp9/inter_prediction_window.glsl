// Rows of the reference, brought to where a word begins. A request to V3D's memory costs about the same
// whatever it carries, and none may cross 16 bytes: so 8 bytes at a time, aligned; single words only
// where a border is repeated.

// A row from its first sample that is read on: as many words as it has, behind them anything.
struct Words {
  uint at[6];
};

struct Window {
  uint at;          // units of 8 bytes; with a border: the plane's first word
  uint stride;      // the same units
  uint last;        // how many units further the row's last sample is
  bool second_word; // the row begins in the second word of a unit
  uint shift;       // by how many bits its first sample lies off a word's beginning
  uint carry;       // 1 << (32 - shift), or 0
  // With a border: the next row, and of each word of a row which one to load, by how many bits to shift
  // it for the sample to repeat, and the bits to keep.
  int y;
  int most_y;
  uint load[7];
  uint repeat[7];
  uint keep[7];
};

const uint kRowBytes = (kStripWidth + (kHorizontal != 0u ? 7u : 0u)) << kSampleBytesLog2;
const uint kUnits = (kRowBytes + 14u) >> 3;  // that a row touches at most, 2 to 4
const uint kSampleBits = 8u << kSampleBytesLog2;
const uint kSampleMask = (1u << kSampleBits) - 1u;
const uint kOneOfEach = kSampleBytesLog2 == 0u ? 0x01010101u : 0x00010001u;  // a bit for each sample of a word

Window first_window(InterStrip strip, int chroma) {
  Window window;
  const uint stride = push.strides[chroma];
  uint begin = strip.from;
  if (kBorder != 0u) {
    const int x = int(strip.place << 16) >> 16;
    const int first = (x << kSampleBytesLog2) >> 2;
    const uint most = push.most_x[chroma] << kSampleBytesLog2;
    const int last = int(most >> 2);
    const uint last_shift = (most & 3u) << 3;
    begin = uint(x) << kSampleBytesLog2;
    window.at = strip.from >> 2;
    window.stride = stride << 1;
    window.y = int(strip.place) >> 16;
    window.most_y = int(push.most_y[chroma]);
    [[unroll]] for (int k = 0; k < 7; ++k) {
      const int word = first + k;
      window.load[k] = uint(clamp(word, 0, last));
      window.repeat[k] = word < 0 ? 0u : last_shift;
      const uint up_to_last = (kSampleMask << last_shift) | ((1u << last_shift) - 1u);
      window.keep[k] = word < 0 || word > last ? 0u : word < last ? ~0u : up_to_last;
    }
  } else {
    window.at = begin >> 3;
    window.stride = stride;
    window.last = ((begin & 7u) + kRowBytes - 1u) >> 3;
    window.second_word = (begin & 4u) != 0u;
  }
  window.shift = (begin & 3u) << 3;
  window.carry = window.shift == 0u ? 0u : 1u << (32u - window.shift);
  return window;
}

uint repeated(Window window, uint row, int k) {
  const uint at = row + window.load[k];
  const uint word = reference[at >> 1][at & 1u];
  const uint border = ((word >> window.repeat[k]) & kSampleMask) * kOneOfEach;
  return border ^ ((border ^ word) & window.keep[k]);
}

uint shifted(Window window, uint a, uint b) { return (a >> window.shift) + b * window.carry; }

Words next_row(inout Window window) {
  uint a[7];
  if (kBorder != 0u) {
    const uint row = window.at + uint(clamp(window.y, 0, window.most_y)) * window.stride;
    [[unroll]] for (int k = 0; k < 7; ++k) a[k] = repeated(window, row, k);
    ++window.y;
  } else {
    const uint at = window.at;
    const uvec2 u0 = reference[at];
    const uvec2 u1 = reference[at + (kUnits > 2u ? 1u : window.last)];
    const uvec2 u2 = kUnits > 2u ? reference[at + (kUnits > 3u ? 2u : window.last)] : uvec2(0u);
    const uvec2 u3 = kUnits > 3u ? reference[at + window.last] : uvec2(0u);
    const bool second = window.second_word;
    a[0] = second ? u0.y : u0.x;
    a[1] = second ? u1.x : u0.y;
    a[2] = second ? u1.y : u1.x;
    a[3] = second ? u2.x : u1.y;
    a[4] = second ? u2.y : u2.x;
    a[5] = second ? u3.x : u2.y;
    a[6] = second ? u3.y : u3.x;
    window.at += window.stride;
  }
  Words words;
  words.at[0] = shifted(window, a[0], a[1]);
  words.at[1] = shifted(window, a[1], a[2]);
  words.at[2] = shifted(window, a[2], a[3]);
  words.at[3] = shifted(window, a[3], a[4]);
  words.at[4] = shifted(window, a[4], a[5]);
  words.at[5] = shifted(window, a[5], a[6]);
  return words;
}
