// Loads rows of the reference and shifts them so that they begin at a word. On V3D a memory request of any
// size costs about the same, and none may cross a 16-byte boundary. So a request loads 8 aligned bytes;
// only rows that may repeat a border sample are loaded in single words.

// Words of a row, from the first sample that is read. Words after the end of the row are undefined.
struct Words {
  uint at[6];
};

#ifdef HIGH_BIT_DEPTH
// Flags of a word of a row that may lie outside the reference. The low bits are the index of the word to load
// in the plane's row; a flag says which of the two samples in that word to repeat. Index and flags share one
// number, because a row has six such words and registers are scarce.
const uint kRepeatSecond = 1u << 31;
const uint kRepeatFirst = 1u << 30;
#define BorderWord uint
#else
// Word of a row that may lie outside the reference.
struct BorderWord {
  uint load;    // index in the plane's row of the word to load
  uint repeat;  // number of bits to shift the loaded word right, to get the sample to repeat
  uint keep;    // mask of the bits that are not repeated
};
#endif

struct Window {
  uint at;          // start of the row, in units of 8 bytes; at a border: index of the plane's first word
  uint stride;      // distance between rows, in units of 8 bytes
  // Bits from the start of a unit to the start of the row; in bits 30 and 31: units from the row's first to
  // its last.
  uint bits;
#ifndef HIGH_BIT_DEPTH
  uint carry;       // factor of the next word in a row: 1 << (32 - bits % 32), or 0
#endif
  // Members for strips at a border only.
  int y;  // row that is read next; may lie outside the reference
  int most_y;
  BorderWord words[6];  // words of each row
};

const uint kRowBytes = (kStripWidth + (kHorizontal != 0u ? 7u : 0u)) << kSampleBytesLog2;
const uint kUnits = (kRowBytes + 14u) >> 3;  // largest number of units that a row touches, 2 to 4
const uint kSampleBits = 8u << kSampleBytesLog2;
const uint kSampleMask = (1u << kSampleBits) - 1u;
// Mask of the lowest bit of each sample of a word.
const uint kOneOfEach = kSampleBytesLog2 == 0u ? 0x01010101u : 0x00010001u;

#ifdef HIGH_BIT_DEPTH
BorderWord border_word(int word, int last, uint last_shift) {
  const uint end = last_shift == 0u ? kRepeatFirst : word > last ? kRepeatSecond : 0u;
  return uint(clamp(word, 0, last)) | (word < 0 ? kRepeatFirst : word < last ? 0u : end);
}
#else
BorderWord border_word(int word, int last, uint last_shift) {
  // Mask of the bits of the last visible word up to its last visible sample.
  const uint keep_last = (kSampleMask << last_shift) | ((1u << last_shift) - 1u);
  return BorderWord(uint(clamp(word, 0, last)), word < 0 ? 0u : last_shift,
                    word < 0 || word > last ? 0u : word < last ? ~0u : keep_last);
}
#endif

Window first_window(InterStrip strip, bool luma) {
  Window window;
  window.stride = luma ? push.strides[0] : push.strides[1];
  uint begin = strip.from;
  if (kBorder != 0u) {
    const int x = int(strip.place << 16) >> 16;
    const int first = (x << kSampleBytesLog2) >> 2;
    const uint most = (luma ? push.most_x[0] : push.most_x[1]) << kSampleBytesLog2;
    const int last = int(most >> 2);
    const uint last_shift = (most & 3u) << 3;
    begin = uint(x) << kSampleBytesLog2;
    window.at = strip.from >> 2;
    window.y = int(strip.place) >> 16;
    window.most_y = int(luma ? push.most_y[0] : push.most_y[1]);
    window.bits = (begin & 3u) << 3;
    window.words[0] = border_word(first, last, last_shift);
    window.words[1] = border_word(first + 1, last, last_shift);
    window.words[2] = border_word(first + 2, last, last_shift);
    window.words[3] = border_word(first + 3, last, last_shift);
    window.words[4] = border_word(first + 4, last, last_shift);
    window.words[5] = border_word(first + 5, last, last_shift);
  } else {
    window.at = begin >> 3;
    window.bits = ((begin & 7u) << 3) | ((((begin & 7u) + kRowBytes - 1u) >> 3) << 30);
  }
#ifndef HIGH_BIT_DEPTH
  const uint shift = window.bits & 31u;
  window.carry = shift == 0u ? 0u : 1u << (32u - shift);
#endif
  return window;
}

#ifdef HIGH_BIT_DEPTH
uint loaded(uint row, BorderWord which) {
  const uint at = row + (which & (kRepeatFirst - 1u));
  const uint word = reference[at >> 1][at & 1u];
  return ((which & kRepeatSecond) != 0u ? word >> 16 : word & 0xffffu) |
         ((which & kRepeatFirst) != 0u ? word << 16 : word & 0xffff0000u);
}
#else
uint loaded(uint row, BorderWord which) {
  const uint at = row + which.load;
  const uint word = reference[at >> 1][at & 1u];
  const uint border = ((word >> which.repeat) & kSampleMask) * kOneOfEach;
  return border ^ ((border ^ word) & which.keep);
}
#endif

uint shifted(Window window, uint a, uint b) {
  const uint shift = window.bits & 31u;
#ifdef HIGH_BIT_DEPTH
  return (a >> shift) + b * (shift << 12);  // the shift is by 16 bits or by 0
#else
  return (a >> shift) + b * window.carry;
#endif
}

Words next_row(inout Window window) {
  uint a[7];
  if (kBorder != 0u) {
    const uint row = window.at + uint(clamp(window.y, 0, window.most_y)) * (window.stride << 1);
    a[0] = loaded(row, window.words[0]);
    a[1] = loaded(row, window.words[1]);
    a[2] = loaded(row, window.words[2]);
    a[3] = loaded(row, window.words[3]);
    // The words that a strip does not read are set to 0, so that the compiler sees that it can omit them.
    a[4] = a[5] = a[6] = 0u;
    if (kRowBytes > 13u) {
      a[4] = loaded(row, window.words[4]);
      a[5] = loaded(row, window.words[5]);
    }
    ++window.y;
  } else {
    const uint at = window.at;
    const uint end = at + (window.bits >> 30);
    const uvec2 u0 = reference[at];
    const uvec2 u1 = reference[kUnits > 2u ? at + 1u : end];
    const uvec2 u2 = kUnits > 2u ? reference[kUnits > 3u ? at + 2u : end] : uvec2(0u);
    const uvec2 u3 = kUnits > 3u ? reference[end] : uvec2(0u);
    const bool second = (window.bits & 32u) != 0u;
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
