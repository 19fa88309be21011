// Inter prediction by whole samples, for blocks of any size.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "neon/neon.h"
#include "neon/vp9/dsp.h"
#include "vp9/inter_prediction.h"

namespace sidecore::neon {
namespace {

using vp9::InterpolationFilter;
using vp9::ReferenceArea;

template <class Sample>
uint8x16_t mean(uint8x16_t a, uint8x16_t b) {
  if constexpr (sizeof(Sample) == 1) {
    return vrhaddq_u8(a, b);
  } else {
    return vreinterpretq_u8_u16(vrhaddq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
  }
}

template <class Sample>
uint8x8_t mean(uint8x8_t a, uint8x8_t b) {
  if constexpr (sizeof(Sample) == 1) {
    return vrhadd_u8(a, b);
  } else {
    return vreinterpret_u8_u16(vrhadd_u16(vreinterpret_u16_u8(a), vreinterpret_u16_u8(b)));
  }
}

/// Copies or averages a row of 4 or 8 bytes.
template <int bytes>
uint8x8_t load_short(const std::uint8_t* from) {
  if constexpr (bytes == 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return vreinterpret_u8_u32(vld1_lane_u32(&word, vdup_n_u32(0), 0));
  } else {
    return vld1_u8(from);
  }
}

template <int bytes>
void store_short(std::uint8_t* to, uint8x8_t samples) {
  if constexpr (bytes == 4) {
    const std::uint32_t word = vget_lane_u32(vreinterpret_u32_u8(samples), 0);
    std::memcpy(to, &word, sizeof word);
  } else {
    vst1_u8(to, samples);
  }
}

template <class Sample, int bytes, bool average>
[[gnu::always_inline]] inline void copy_row(const std::uint8_t* from, std::uint8_t* to) {
  if constexpr (bytes >= 16) {
    uint8x16_t samples[bytes / 16];
    for (int x = 0; x < bytes; x += 16) samples[x / 16] = vld1q_u8(from + x);
    if constexpr (average) {
      uint8x16_t there[bytes / 16];
      for (int x = 0; x < bytes; x += 16) there[x / 16] = vld1q_u8(to + x);
      for (int x = 0; x < bytes; x += 16) {
        samples[x / 16] = mean<Sample>(there[x / 16], samples[x / 16]);
      }
    }
    for (int x = 0; x < bytes; x += 16) vst1q_u8(to + x, samples[x / 16]);
  } else if constexpr (average) {
    store_short<bytes>(to, mean<Sample>(load_short<bytes>(to), load_short<bytes>(from)));
  } else {
    std::memcpy(to, from, bytes);
  }
}

// Each width has its own function with the table's parameters, so that the table's function can
// tail-call it.
template <class Sample, int width, bool average>
[[gnu::noinline]] void copy_block(const Sample* from, std::ptrdiff_t from_stride,
                                  const ReferenceArea& area, InterpolationFilter /*filter*/,
                                  Sample* to, std::ptrdiff_t stride) {
  constexpr int kBytes = width * sizeof(Sample);
  constexpr int kRows = kBytes > 64 ? 1 : kBytes > 16 ? 2 : 4;
  int left = area.height;
  do {
    for (int y = 0; y < kRows; ++y) {
      copy_row<Sample, kBytes, average>(
          reinterpret_cast<const std::uint8_t*>(from + y * from_stride),
          reinterpret_cast<std::uint8_t*>(to + y * stride));
    }
    from += kRows * from_stride;
    to += kRows * stride;
    left -= kRows;
  } while (left != 0);
}

template <class Sample, bool average>
void predict_copy(const Sample* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                  InterpolationFilter filter, Sample* to, std::ptrdiff_t stride) {
  const auto copy = [&]<int width>() {
    copy_block<Sample, width, average>(from, from_stride, area, filter, to, stride);
  };
  if (area.width == 8) return copy.template operator()<8>();
  if (area.width == 4) return copy.template operator()<4>();
  if (area.width == 16) return copy.template operator()<16>();
  if (area.width == 32) return copy.template operator()<32>();
  copy.template operator()<64>();
}

template <class Sample>
void add_copies(vp9::Dsp<Sample>& dsp) {
  constexpr auto kCopy = static_cast<std::size_t>(vp9::InterKind::copy);
  dsp.inter[0][kCopy] = predict_copy<Sample, false>;
  dsp.inter[1][kCopy] = predict_copy<Sample, true>;
}

}  // namespace

void add_inter_copies(vp9::Dsp<std::uint8_t>& dsp) {
  add_copies(dsp);
}
void add_inter_copies(vp9::Dsp<std::uint16_t>& dsp) {
  add_copies(dsp);
}

}  // namespace sidecore::neon
