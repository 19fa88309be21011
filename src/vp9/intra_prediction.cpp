#include "vp9/intra_prediction.h"

#include <algorithm>
#include <array>
#include <utility>

#include "vp9/bit_depth.h"
#include "vp9/dsp.h"

namespace sidecore::vp9 {
namespace {

// kNeeds lists the needs of each PredictionMode. Those of kDcPrediction also depend on the
// available neighbours.
constexpr IntraNeeds kDirectional{.above = true, .left = true, .corner = true};
constexpr std::array<IntraNeeds, kIntraModes> kNeeds = {
    IntraNeeds{.above = true, .left = true},         // kDcPrediction
    IntraNeeds{.above = true},                       // kVerticalPrediction
    IntraNeeds{.left = true},                        // kHorizontalPrediction
    IntraNeeds{.above = true, .above_right = true},  // kD45Prediction
    kDirectional,                                    // kD135Prediction
    kDirectional,                                    // kD117Prediction
    kDirectional,                                    // kD153Prediction
    IntraNeeds{.left = true},                        // kD207Prediction
    IntraNeeds{.above = true, .above_right = true},  // kD63Prediction
    kDirectional,                                    // kTrueMotionPrediction
};

/// The samples around a block of N x N, as one line. [0] is the corner above left. [1] to [2N] are
/// the row above, to the right; [-1] to [-N] are the left column, downwards. [-2N] to [-N - 1]
/// repeat the last sample of the left column. [N + 1] to [2N] repeat the last sample above the
/// block, except in 4x4 blocks whose mode needs the samples above right.
template <class Sample, int N>
class Surround {
 public:
  Surround(const Sample* above, const Sample* left, const IntraNeeds& needs) {
    Sample* const corner = samples_.data() + 2 * N;
    if (needs.corner) *corner = above[-1];
    if (needs.above) {
      const int there = N == 4 && needs.above_right ? 2 * N : N;
      std::copy_n(above, there, corner + 1);
      std::fill_n(corner + 1 + there, 2 * N - there, above[there - 1]);
    }
    if (needs.left) {
      std::reverse_copy(left, left + N, corner - N);
      std::fill_n(corner - 2 * N, N, left[N - 1]);
    }
  }

  [[nodiscard]] int operator[](int index) const { return samples_.data()[2 * N + index]; }

  /// mean2() is the rounded mean of [index] and the next sample. mean3() is a weighted mean of
  /// [index] and its two neighbours.
  [[nodiscard]] int mean2(int index) const {
    return ((*this)[index] + (*this)[index + 1] + 1) >> 1;
  }
  [[nodiscard]] int mean3(int index) const {
    return ((*this)[index - 1] + 2 * (*this)[index] + (*this)[index + 1] + 2) >> 2;
  }

 private:
  std::array<Sample, 4 * N + 1> samples_;
};

template <int N, class Sample>
void fill(Sample* to, std::ptrdiff_t stride, auto&& value) {
  for (int row = 0; row < N; ++row, to += stride) {
    for (int column = 0; column < N; ++column) {
      to[column] = static_cast<Sample>(value(row, column));
    }
  }
}

template <int N, class Sample>
int sum_of(const Sample* samples) {
  int sum = 0;
  for (int index = 0; index < N; ++index) sum += samples[index];
  return sum;
}

// Returns the value of predictors that set all samples to one value.
template <int predictor, int N, int bits, class Sample>
int dc_value(const Sample* above, const Sample* left) {
  switch (predictor) {
    case kDcPrediction:
      return (sum_of<N>(above) + sum_of<N>(left) + N) / (2 * N);
    case kDcOfAbove:
      return (sum_of<N>(above) + N / 2) / N;
    case kDcOfLeft:
      return (sum_of<N>(left) + N / 2) / N;
    default:
      return 1 << (bits - 1);
  }
}

// Predicts with the modes that smooth the neighbouring samples along a direction.
template <int predictor, int N, class Sample>
void predict_along(Sample* to, std::ptrdiff_t stride, const Surround<Sample, N>& around) {
  const auto each = [to, stride](auto&& value) { fill<N>(to, stride, value); };
  switch (predictor) {
    case kD45Prediction:
      return each([&](int row, int column) {
        return row + column + 2 < 2 * N ? around.mean3(row + column + 2) : around[2 * N];
      });
    case kD63Prediction:
      return each([&](int row, int column) {
        const int from = 1 + column + row / 2;
        return row % 2 == 0 ? around.mean2(from) : around.mean3(from + 1);
      });
    case kD207Prediction:
      return each([&](int row, int column) {
        const int from = -1 - row - column / 2;
        return column % 2 == 0 ? around.mean2(from - 1) : around.mean3(from - 1);
      });
    case kD135Prediction:
      return each([&](int row, int column) { return around.mean3(column - row); });
    case kD117Prediction:
      return each([&](int row, int column) {
        const int from = column - row / 2;
        if (from < 0) return around.mean3(2 * column + 1 - row);
        return row % 2 == 0 ? around.mean2(from) : around.mean3(from);
      });
    default:  // kD153Prediction
      return each([&](int row, int column) {
        const int from = row - column / 2;
        if (from < 0) return around.mean3(column - 1 - 2 * row);
        return column % 2 == 0 ? around.mean2(-from - 1) : around.mean3(-from);
      });
  }
}

template <int predictor, int N, int bits, class Sample>
void predict(Sample* to, std::ptrdiff_t stride, const Sample* above, const Sample* left) {
  const auto each = [to, stride](auto&& value) { fill<N>(to, stride, value); };
  switch (predictor) {
    case kDcPrediction:
    case kDcOfAbove:
    case kDcOfLeft:
    case kDcOfNothing: {
      const int value = dc_value<predictor, N, bits>(above, left);
      return each([value](int, int) { return value; });
    }
    case kVerticalPrediction:
      return each([above](int, int column) { return above[column]; });
    case kHorizontalPrediction:
      return each([left](int row, int) { return left[row]; });
    case kTrueMotionPrediction:
      return each([above, left](int row, int column) {
        return std::clamp(left[row] + above[column] - above[-1], 0, (1 << bits) - 1);
      });
    default:
      return predict_along<predictor, N>(to, stride,
                                         Surround<Sample, N>(above, left, kNeeds[predictor]));
  }
}

template <int bits, class Sample, std::size_t... predictor>
IntraPredictions<Sample> all_predictions(std::index_sequence<predictor...>) {
  return {{{predict<predictor, 4, bits, Sample>, predict<predictor, 8, bits, Sample>,
            predict<predictor, 16, bits, Sample>, predict<predictor, 32, bits, Sample>}...}};
}

/// Memory for neighbouring samples that cannot be used directly from the plane. above() is the
/// first sample after the corner.
template <class Sample>
struct IntraNeighbours {
  static constexpr int kMax = 4 << kTransform32x32;
  // Samples before above(); this number keeps the row aligned.
  static constexpr int kBeforeAbove = 16;

  Sample* above() { return above_memory.data() + kBeforeAbove; }

  std::array<Sample, kBeforeAbove + 2 * kMax> above_memory;
  std::array<Sample, kMax> left;
};

// Returns the row above, directly from `line` if possible. Beyond the decoded samples, the last one
// is repeated.
template <class Sample>
const Sample* row_above(const Sample* line, const IntraSurroundings& where, int size,
                        const IntraNeeds& needs, int middle, IntraNeighbours<Sample>& memory) {
  Sample* const above = memory.above();
  const int wanted = needs.above_right && size == 4 ? 2 * size : size;
  if (!where.above) {
    std::fill_n(above - 1, wanted + 1, static_cast<Sample>(middle - 1));
    return above;
  }
  const Sample* const row = line + where.x;
  const int decoded =
      std::min(size == 4 && !where.above_right ? size : wanted, where.end_x - where.x);
  if (decoded == wanted && (where.left || !needs.corner)) return row;
  above[-1] = where.left ? row[-1] : static_cast<Sample>(middle + 1);
  std::copy_n(row, decoded, above);
  std::fill_n(above + decoded, wanted - decoded, row[decoded - 1]);
  return above;
}

template <class Sample>
const Sample* left_column(const video::PlaneView<Sample>& plane, const IntraSurroundings& where,
                          int size, int middle, IntraNeighbours<Sample>& memory) {
  if (!where.left) {
    std::fill_n(memory.left.data(), size, static_cast<Sample>(middle + 1));
    return memory.left.data();
  }
  const int decoded = std::min(size, where.end_y - where.y);
  const Sample* from = plane.row(where.y) + where.x - 1;
  Sample* to = memory.left.data();
  for (Sample* const end = to + decoded; to != end; from += plane.stride) *to++ = *from;
  std::fill_n(to, size - decoded, to[-1]);
  return memory.left.data();
}

}  // namespace

IntraNeeds intra_needs(PredictionMode mode) {
  return kNeeds[mode];
}

template <class Sample>
void predict_intra(const Dsp<Sample>& dsp, const video::PlaneView<Sample>& plane,
                   const IntraSurroundings& where, TransformSize size, PredictionMode mode,
                   const Sample* line_above) {
  std::size_t predictor = mode;
  IntraNeeds needs = kNeeds[mode];
  if (mode == kDcPrediction && !(where.above && where.left)) {
    needs = {.above = where.above, .left = where.left};
    predictor = where.above ? kDcOfAbove : where.left ? kDcOfLeft : kDcOfNothing;
  }
  const int middle = 1 << (dsp.bits - 1);
  IntraNeighbours<Sample> memory;
  const Sample* above = memory.above();
  const Sample* left = memory.left.data();
  if (needs.above) {
    const Sample* const line = line_above != nullptr ? line_above : plane.row(where.y - 1);
    above = row_above(line, where, 4 << size, needs, middle, memory);
  }
  if (needs.left) left = left_column(plane, where, 4 << size, middle, memory);
  dsp.intra[predictor][size](plane.row(where.y) + where.x, plane.stride, above, left);
}

template void predict_intra(const Dsp<std::uint8_t>&, const video::PlaneView<std::uint8_t>&,
                            const IntraSurroundings&, TransformSize, PredictionMode,
                            const std::uint8_t*);
template void predict_intra(const Dsp<std::uint16_t>&, const video::PlaneView<std::uint16_t>&,
                            const IntraSurroundings&, TransformSize, PredictionMode,
                            const std::uint16_t*);

template <class Sample>
void add_scalar_intra_predictions(Dsp<Sample>& dsp) {
  constexpr std::make_index_sequence<kIntraPredictors> kAll;
  if constexpr (sizeof(Sample) == 1) {
    dsp.intra = all_predictions<8, Sample>(kAll);
  } else {
    for_high_bit_depth(dsp.bits,
                       [&]<int bits>() { dsp.intra = all_predictions<bits, Sample>(kAll); });
  }
}
template void add_scalar_intra_predictions(Dsp<std::uint8_t>&);
template void add_scalar_intra_predictions(Dsp<std::uint16_t>&);

}  // namespace sidecore::vp9
