#include "vp9/intra_prediction.h"

#include <algorithm>
#include <array>

namespace sidecore::vp9 {
namespace {

/// The samples around a block of N x N, as one line: [0] is the corner above left, [1], [2], ... go
/// right along the row above, to [2N]; [-1], [-2], ... go down along the column to the left, to
/// [-N], after which the last is repeated to [-2N].
template <class Sample, int N>
class Surround {
 public:
  Surround(const video::PlaneView<Sample>& plane, const IntraSurroundings& where, int bits) {
    const auto middle = static_cast<Sample>(1 << (bits - 1));
    Sample* const above = corner() + 1;
    if (where.above) {
      fill_above(above, plane.row(where.y - 1) + where.x, where);
    } else {
      std::fill_n(above, 2 * N, static_cast<Sample>(middle - 1));
    }
    if (where.left) {
      fill_left(plane, where);
    } else {
      std::fill_n(corner() - 2 * N, 2 * N, static_cast<Sample>(middle + 1));
    }
    *corner() = !where.above  ? static_cast<Sample>(middle - 1)
                : !where.left ? static_cast<Sample>(middle + 1)
                              : plane.row(where.y - 1)[where.x - 1];
  }

  [[nodiscard]] int operator[](int index) const { return samples_.data()[2 * N + index]; }

  /// Rounded means of two and three neighbours, of [index] and what follows, and around [index].
  [[nodiscard]] int mean2(int index) const {
    return ((*this)[index] + (*this)[index + 1] + 1) >> 1;
  }
  [[nodiscard]] int mean3(int index) const {
    return ((*this)[index - 1] + 2 * (*this)[index] + (*this)[index + 1] + 2) >> 2;
  }

 private:
  Sample* corner() { return samples_.data() + 2 * N; }

  // Beyond what is decoded the last sample is repeated; so it is to the right of the block, but for
  // the 4x4 block inside a larger one.
  static void fill_above(Sample* above, const Sample* row, const IntraSurroundings& where) {
    const int wanted = N == 4 && where.above_right ? 2 * N : N;
    const int there = std::min(wanted, where.end_x - where.x);
    std::copy_n(row, there, above);
    std::fill_n(above + there, 2 * N - there, above[there - 1]);
  }

  void fill_left(const video::PlaneView<Sample>& plane, const IntraSurroundings& where) {
    const int there = std::min(N, where.end_y - where.y);
    Sample* const down = corner() - 1;
    for (int row = 0; row < there; ++row) down[-row] = plane.row(where.y + row)[where.x - 1];
    for (int row = there; row < 2 * N; ++row) down[-row] = down[1 - there];
  }

  std::array<Sample, 4 * N + 1> samples_;
};

template <class Sample, int N>
void fill(const video::PlaneView<Sample>& plane, const IntraSurroundings& where, auto&& value) {
  for (int row = 0; row < N; ++row) {
    Sample* const to = plane.row(where.y + row) + where.x;
    for (int column = 0; column < N; ++column) {
      to[column] = static_cast<Sample>(value(row, column));
    }
  }
}

template <class Sample, int N>
int dc_value(const Surround<Sample, N>& around, const IntraSurroundings& where, int bits) {
  int sum = 0;
  int count = 0;
  if (where.above) {
    for (int index = 1; index <= N; ++index) sum += around[index];
    count += N;
  }
  if (where.left) {
    for (int index = 1; index <= N; ++index) sum += around[-index];
    count += N;
  }
  return count == 0 ? 1 << (bits - 1) : (sum + count / 2) / count;
}

template <class Sample, int N>
void predict(const video::PlaneView<Sample>& plane, const IntraSurroundings& where,
             PredictionMode mode, int bits) {
  const Surround<Sample, N> around(plane, where, bits);
  const auto each = [&](auto&& value) { fill<Sample, N>(plane, where, value); };
  switch (mode) {
    case kDcPrediction: {
      const int value = dc_value<Sample, N>(around, where, bits);
      return each([&](int, int) { return value; });
    }
    case kVerticalPrediction:
      return each([&](int, int column) { return around[1 + column]; });
    case kHorizontalPrediction:
      return each([&](int row, int) { return around[-1 - row]; });
    case kTrueMotionPrediction:
      return each([&](int row, int column) {
        return std::clamp(around[-1 - row] + around[1 + column] - around[0], 0, (1 << bits) - 1);
      });
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
    case kD153Prediction:
      return each([&](int row, int column) {
        const int from = row - column / 2;
        if (from < 0) return around.mean3(column - 1 - 2 * row);
        return column % 2 == 0 ? around.mean2(-from - 1) : around.mean3(-from);
      });
    default:
      return;  // inter modes are no intra modes
  }
}

}  // namespace

template <class Sample>
void predict_intra(const video::PlaneView<Sample>& plane, const IntraSurroundings& where,
                   TransformSize size, PredictionMode mode, int bits) {
  switch (size) {
    case kTransform4x4:
      return predict<Sample, 4>(plane, where, mode, bits);
    case kTransform8x8:
      return predict<Sample, 8>(plane, where, mode, bits);
    case kTransform16x16:
      return predict<Sample, 16>(plane, where, mode, bits);
    default:
      return predict<Sample, 32>(plane, where, mode, bits);
  }
}

template void predict_intra(const video::PlaneView<std::uint8_t>&, const IntraSurroundings&,
                            TransformSize, PredictionMode, int);
template void predict_intra(const video::PlaneView<std::uint16_t>&, const IntraSurroundings&,
                            TransformSize, PredictionMode, int);

}  // namespace sidecore::vp9
