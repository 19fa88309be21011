#include "vp9/inter_prediction.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sidecore::vp9 {
namespace {

constexpr int kTaps = 8;
constexpr int kTapsBefore = 3;  // of the sample that is fetched
constexpr int kLargest = 64;
// Rows (or columns) that a block of 64 needs at the largest step, 2.
constexpr int kLargestFetched = ((kLargest - 1) * 32 + 15) / 16 + kTaps;

/// [filter][16ths of a sample][tap], in 128ths.
constexpr std::int16_t kFilters[4][16][kTaps] = {{{0, 0, 0, 128, 0, 0, 0, 0},
                                                  {0, 1, -5, 126, 8, -3, 1, 0},
                                                  {-1, 3, -10, 122, 18, -6, 2, 0},
                                                  {-1, 4, -13, 118, 27, -9, 3, -1},
                                                  {-1, 4, -16, 112, 37, -11, 4, -1},
                                                  {-1, 5, -18, 105, 48, -14, 4, -1},
                                                  {-1, 5, -19, 97, 58, -16, 5, -1},
                                                  {-1, 6, -19, 88, 68, -18, 5, -1},
                                                  {-1, 6, -19, 78, 78, -19, 6, -1},
                                                  {-1, 5, -18, 68, 88, -19, 6, -1},
                                                  {-1, 5, -16, 58, 97, -19, 5, -1},
                                                  {-1, 4, -14, 48, 105, -18, 5, -1},
                                                  {-1, 4, -11, 37, 112, -16, 4, -1},
                                                  {-1, 3, -9, 27, 118, -13, 4, -1},
                                                  {0, 2, -6, 18, 122, -10, 3, -1},
                                                  {0, 1, -3, 8, 126, -5, 1, 0}},
                                                 {{0, 0, 0, 128, 0, 0, 0, 0},
                                                  {-3, -1, 32, 64, 38, 1, -3, 0},
                                                  {-2, -2, 29, 63, 41, 2, -3, 0},
                                                  {-2, -2, 26, 63, 43, 4, -4, 0},
                                                  {-2, -3, 24, 62, 46, 5, -4, 0},
                                                  {-2, -3, 21, 60, 49, 7, -4, 0},
                                                  {-1, -4, 18, 59, 51, 9, -4, 0},
                                                  {-1, -4, 16, 57, 53, 12, -4, -1},
                                                  {-1, -4, 14, 55, 55, 14, -4, -1},
                                                  {-1, -4, 12, 53, 57, 16, -4, -1},
                                                  {0, -4, 9, 51, 59, 18, -4, -1},
                                                  {0, -4, 7, 49, 60, 21, -3, -2},
                                                  {0, -4, 5, 46, 62, 24, -3, -2},
                                                  {0, -4, 4, 43, 63, 26, -2, -2},
                                                  {0, -3, 2, 41, 63, 29, -2, -2},
                                                  {0, -3, 1, 38, 64, 32, -1, -3}},
                                                 {{0, 0, 0, 128, 0, 0, 0, 0},
                                                  {-1, 3, -7, 127, 8, -3, 1, 0},
                                                  {-2, 5, -13, 125, 17, -6, 3, -1},
                                                  {-3, 7, -17, 121, 27, -10, 5, -2},
                                                  {-4, 9, -20, 115, 37, -13, 6, -2},
                                                  {-4, 10, -23, 108, 48, -16, 8, -3},
                                                  {-4, 10, -24, 100, 59, -19, 9, -3},
                                                  {-4, 11, -24, 90, 70, -21, 10, -4},
                                                  {-4, 11, -23, 80, 80, -23, 11, -4},
                                                  {-4, 10, -21, 70, 90, -24, 11, -4},
                                                  {-3, 9, -19, 59, 100, -24, 10, -4},
                                                  {-3, 8, -16, 48, 108, -23, 10, -4},
                                                  {-2, 6, -13, 37, 115, -20, 9, -4},
                                                  {-2, 5, -10, 27, 121, -17, 7, -3},
                                                  {-1, 3, -6, 17, 125, -13, 5, -2},
                                                  {0, 1, -3, 8, 127, -7, 3, -1}},
                                                 {{0, 0, 0, 128, 0, 0, 0, 0},
                                                  {0, 0, 0, 120, 8, 0, 0, 0},
                                                  {0, 0, 0, 112, 16, 0, 0, 0},
                                                  {0, 0, 0, 104, 24, 0, 0, 0},
                                                  {0, 0, 0, 96, 32, 0, 0, 0},
                                                  {0, 0, 0, 88, 40, 0, 0, 0},
                                                  {0, 0, 0, 80, 48, 0, 0, 0},
                                                  {0, 0, 0, 72, 56, 0, 0, 0},
                                                  {0, 0, 0, 64, 64, 0, 0, 0},
                                                  {0, 0, 0, 56, 72, 0, 0, 0},
                                                  {0, 0, 0, 48, 80, 0, 0, 0},
                                                  {0, 0, 0, 40, 88, 0, 0, 0},
                                                  {0, 0, 0, 32, 96, 0, 0, 0},
                                                  {0, 0, 0, 24, 104, 0, 0, 0},
                                                  {0, 0, 0, 16, 112, 0, 0, 0},
                                                  {0, 0, 0, 8, 120, 0, 0, 0}}};

/// Samples of the reference from which all taps can be read.
template <class Sample>
struct Source {
  const Sample* samples;  // the one at (area.x >> 4, area.y >> 4)
  std::ptrdiff_t stride;
};

/// Where the area reaches beyond the plane, a copy of what it needs with the border repeated.
template <class Sample>
class FetchedArea {
 public:
  FetchedArea(const video::PlaneView<const Sample>& plane, const ReferenceArea& area) {
    const int left = (area.x >> 4) - kTapsBefore;
    const int top = (area.y >> 4) - kTapsBefore;
    const int columns = fetched(area.x, area.step_x, area.width);
    const int rows = fetched(area.y, area.step_y, area.height);
    if (left >= 0 && top >= 0 && left + columns <= plane.width && top + rows <= plane.height) {
      source_ = {plane.row(area.y >> 4) + (area.x >> 4), plane.stride};
      return;
    }
    copy(plane, left, top, columns, rows);
    source_ = {copy_.data() + kTapsBefore * kLargestFetched + kTapsBefore, kLargestFetched};
  }
  FetchedArea(const FetchedArea&) = delete;
  FetchedArea& operator=(const FetchedArea&) = delete;

  [[nodiscard]] const Source<Sample>& source() const { return source_; }

 private:
  static int fetched(int start, int step, int count) {
    return (((count - 1) * step + (start & 15)) >> 4) + kTaps;
  }

  void copy(const video::PlaneView<const Sample>& plane, int left, int top, int columns, int rows) {
    // Columns of the copy that come from inside the plane: [inside, inside_end).
    const int inside = std::clamp(-left, 0, columns);
    const int inside_end = std::clamp(plane.width - left, inside, columns);
    for (int row = 0; row < rows; ++row) {
      const Sample* const from = plane.row(std::clamp(top + row, 0, plane.height - 1));
      Sample* const to = copy_.data() + row * kLargestFetched;
      std::fill(to, to + inside, from[0]);
      if (inside_end > inside) {
        std::copy(from + left + inside, from + left + inside_end, to + inside);
      }
      std::fill(to + inside_end, to + columns, from[plane.width - 1]);
    }
  }

  Source<Sample> source_{};
  std::array<Sample, kLargestFetched * kLargestFetched> copy_;
};

template <class Sample>
Sample filtered(int sum, int bits) {
  return static_cast<Sample>(std::clamp((sum + 64) >> 7, 0, (1 << bits) - 1));
}

/// Destination of a prediction's last stage.
template <class Sample, bool Average>
void put(Sample& to, Sample value) {
  to = Average ? static_cast<Sample>((to + value + 1) >> 1) : value;
}

/// A sum of products of samples and taps, without overflow in the smallest type: 16 bits for 8-bit
/// samples, if these are made signed. Taps add up to 128, so that takes 128 * 128 from the sum;
/// their magnitudes add up to at most 236, so no partial sum exceeds 236 * 128.
template <class Sample>
struct Sum {
  using Type = std::conditional_t<sizeof(Sample) == 1, std::int16_t, std::int32_t>;
  static constexpr Type kOffset = sizeof(Sample) == 1 ? 128 : 0;
};

template <class Sample, bool Average>
void put_line(const Sample* from, int width, Sample* __restrict to) {
  for (int x = 0; x < width; ++x) put<Sample, Average>(to[x], from[x]);
}

/// A row of filtered samples at steps of a whole sample; `tap_stride` is 1 across a row, the stride
/// along columns. `to` does not overlap what is read.
template <class Sample, bool Average>
void filter_line(const Sample* from, std::ptrdiff_t tap_stride, const std::int16_t* taps, int width,
                 Sample* __restrict to, int bits) {
  using Type = typename Sum<Sample>::Type;
  constexpr Type kOffset = Sum<Sample>::kOffset;
  const auto most = static_cast<Type>((1 << bits) - 1);
  const Sample* const first = from - kTapsBefore * tap_stride;
  const std::array<Type, kTaps> weights = {taps[0], taps[1], taps[2], taps[3],
                                           taps[4], taps[5], taps[6], taps[7]};
  for (int x = 0; x < width; ++x) {
    Type sum = 64;
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      const int sample = first[x + static_cast<std::ptrdiff_t>(tap) * tap_stride] - kOffset;
      sum = static_cast<Type>(sum + static_cast<Type>(weights[tap] * sample));
    }
    const auto value = static_cast<Type>((sum >> 7) + kOffset);
    put<Sample, Average>(to[x], static_cast<Sample>(std::clamp<Type>(value, 0, most)));
  }
}

template <class Sample, bool Average>
void predict_unscaled(const Source<Sample>& source, const ReferenceArea& area,
                      InterpolationFilter filter, Sample* to, std::ptrdiff_t stride, int bits) {
  const std::int16_t* const taps_x = kFilters[filter][area.x & 15];
  const std::int16_t* const taps_y = kFilters[filter][area.y & 15];
  const bool move_x = (area.x & 15) != 0;
  const bool move_y = (area.y & 15) != 0;
  if (!move_y) {
    for (int y = 0; y < area.height; ++y) {
      const Sample* const from = source.samples + y * source.stride;
      Sample* const row = to + y * stride;
      if (move_x) {
        filter_line<Sample, Average>(from, 1, taps_x, area.width, row, bits);
      } else {
        put_line<Sample, Average>(from, area.width, row);
      }
    }
    return;
  }
  // Rows are filtered first and rounded to samples, then columns.
  std::array<Sample, kLargest*(kLargest + kTaps)> between;
  const Sample* from = source.samples;
  std::ptrdiff_t from_stride = source.stride;
  if (move_x) {
    for (int y = 0; y < area.height + kTaps - 1; ++y) {
      filter_line<Sample, false>(source.samples + (y - kTapsBefore) * source.stride, 1, taps_x,
                                 area.width, between.data() + y * kLargest, bits);
    }
    from = between.data() + kTapsBefore * kLargest;
    from_stride = kLargest;
  }
  for (int y = 0; y < area.height; ++y) {
    filter_line<Sample, Average>(from + y * from_stride, from_stride, taps_y, area.width,
                                 to + y * stride, bits);
  }
}

template <class Sample, bool Average>
void predict_scaled(const Source<Sample>& source, const ReferenceArea& area,
                    InterpolationFilter filter, Sample* to, std::ptrdiff_t stride, int bits) {
  std::array<Sample, kLargest * kLargestFetched> between;
  const int rows = (((area.height - 1) * area.step_y + (area.y & 15)) >> 4) + kTaps;
  for (int y = 0; y < rows; ++y) {
    const Sample* const from = source.samples + (y - kTapsBefore) * source.stride - kTapsBefore;
    Sample* const row = between.data() + y * kLargest;
    for (int x = 0; x < area.width; ++x) {
      const int position = (area.x & 15) + x * area.step_x;
      const std::int16_t* const taps = kFilters[filter][position & 15];
      int sum = 0;
      for (int tap = 0; tap < kTaps; ++tap) sum += taps[tap] * from[(position >> 4) + tap];
      row[x] = filtered<Sample>(sum, bits);
    }
  }
  for (int y = 0; y < area.height; ++y) {
    const int position = (area.y & 15) + y * area.step_y;
    filter_line<Sample, Average>(between.data() + ((position >> 4) + kTapsBefore) * kLargest,
                                 kLargest, kFilters[filter][position & 15], area.width,
                                 to + y * stride, bits);
  }
}

template <class Sample, bool Average>
void predict(const video::PlaneView<const Sample>& reference, const ReferenceArea& area,
             InterpolationFilter filter, Sample* to, std::ptrdiff_t stride, int bits) {
  const FetchedArea<Sample> fetched(reference, area);
  if (area.step_x == 16 && area.step_y == 16) {
    predict_unscaled<Sample, Average>(fetched.source(), area, filter, to, stride, bits);
  } else {
    predict_scaled<Sample, Average>(fetched.source(), area, filter, to, stride, bits);
  }
}

}  // namespace

ReferenceScale reference_scale(const FrameSize& reference, const FrameSize& frame) {
  return {(reference.width << 14) / frame.width, (reference.height << 14) / frame.height};
}

template <class Sample>
void predict_inter(const video::PlaneView<const Sample>& reference, const ReferenceArea& area,
                   InterpolationFilter filter, bool average, Sample* to, std::ptrdiff_t stride,
                   int bits) {
  if (average) {
    predict<Sample, true>(reference, area, filter, to, stride, bits);
  } else {
    predict<Sample, false>(reference, area, filter, to, stride, bits);
  }
}

template void predict_inter(const video::PlaneView<const std::uint8_t>&, const ReferenceArea&,
                            InterpolationFilter, bool, std::uint8_t*, std::ptrdiff_t, int);
template void predict_inter(const video::PlaneView<const std::uint16_t>&, const ReferenceArea&,
                            InterpolationFilter, bool, std::uint16_t*, std::ptrdiff_t, int);

}  // namespace sidecore::vp9
