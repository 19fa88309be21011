// Intra prediction of every mode, size and bit depth. Compares the scalar definition with a second
// model and NEON's tables with the scalar definition. Also tests missing neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "neon/vp9/dsp.h"
#include "vp9/dsp.h"

namespace sidecore::test_intra_prediction {
namespace {

using vp9::TransformSize;

constexpr std::uint64_t kSeed = 20261122;
constexpr int kGuard = 8;  // number of rows and samples around a block that must not change

// Neighbouring samples of a block: above[0] is the corner, above[1 + i] is sample i of the row
// above, which has 2N samples.
struct Edge {
  std::vector<int> above;
  std::vector<int> left;
  [[nodiscard]] int a(int i) const { return *(above.begin() + i + 1); }
  [[nodiscard]] int l(int i) const { return left[static_cast<std::size_t>(i)]; }
};

using Block = std::vector<std::vector<int>>;

int half(int a, int b) {
  return (a + b + 1) / 2;
}
int quarter(int a, int b, int c) {
  return (a + 2 * b + c + 2) / 4;
}

// A second model, written from the specification's section 8.5.1. It derives samples from samples
// predicted before, where the code has a formula for each. `above` and `left` tell if a side is
// available.
class Model {
 public:
  Model(const Edge& edge, int size, int bits)
      : e_(edge), n_(size), bits_(bits), pred_(at(n_), std::vector<int>(at(n_))) {}

  Block operator()(int predictor) {
    switch (predictor) {
      case vp9::kVerticalPrediction:
        return each([this](int, int j) { return e_.a(j); });
      case vp9::kHorizontalPrediction:
        return each([this](int i, int) { return e_.l(i); });
      case vp9::kTrueMotionPrediction:
        return each([this](int i, int j) {
          return std::clamp(e_.a(j) + e_.l(i) - e_.a(-1), 0, (1 << bits_) - 1);
        });
      case vp9::kD45Prediction:
        return each([this](int i, int j) {
          const int k = i + j;
          return k + 2 < 2 * n_ ? quarter(e_.a(k), e_.a(k + 1), e_.a(k + 2)) : e_.a(2 * n_ - 1);
        });
      case vp9::kD63Prediction:
        return each([this](int i, int j) {
          const int k = i / 2 + j;
          return i % 2 == 1 ? quarter(e_.a(k), e_.a(k + 1), e_.a(k + 2))
                            : half(e_.a(k), e_.a(k + 1));
        });
      case vp9::kD207Prediction:
        return d207();
      case vp9::kD117Prediction:
        return d117();
      case vp9::kD135Prediction:
        return d135();
      case vp9::kD153Prediction:
        return d153();
      default:
        return mean(predictor);
    }
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int& p(int i, int j) { return pred_[at(i)][at(j)]; }

  template <class Value>
  Block each(const Value& value) {
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) p(i, j) = value(i, j);
    }
    return pred_;
  }

  Block mean(int predictor) {
    int sum = 0;
    int count = 0;
    for (int i = 0; i < n_; ++i) {
      if (predictor == vp9::kDcPrediction || predictor == vp9::kDcOfAbove) sum += e_.a(i), ++count;
      if (predictor == vp9::kDcPrediction || predictor == vp9::kDcOfLeft) sum += e_.l(i), ++count;
    }
    const int value = count == 0 ? 1 << (bits_ - 1) : (2 * sum + count) / (2 * count);
    return each([value](int, int) { return value; });
  }

  Block d207() {
    for (int j = 0; j < n_; ++j) p(n_ - 1, j) = e_.l(n_ - 1);
    for (int i = 0; i < n_ - 1; ++i) p(i, 0) = half(e_.l(i), e_.l(i + 1));
    for (int i = 0; i < n_ - 2; ++i) p(i, 1) = quarter(e_.l(i), e_.l(i + 1), e_.l(i + 2));
    p(n_ - 2, 1) = quarter(e_.l(n_ - 2), e_.l(n_ - 1), e_.l(n_ - 1));
    for (int j = 2; j < n_; ++j) {
      for (int i = n_ - 2; i >= 0; --i) p(i, j) = p(i + 1, j - 2);
    }
    return pred_;
  }

  // Returns a sample along the border, from the left column up and then to the right; 0 is the
  // corner.
  [[nodiscard]] int border(int i) const { return i >= 0 ? e_.a(i - 1) : e_.l(-i - 1); }
  [[nodiscard]] int around(int i) const { return quarter(border(i - 1), border(i), border(i + 1)); }

  Block d117() {
    for (int j = 0; j < n_; ++j) p(0, j) = half(e_.a(j - 1), e_.a(j));
    for (int j = 0; j < n_; ++j) p(1, j) = around(j);
    for (int i = 2; i < n_; ++i) {
      p(i, 0) = around(1 - i);
      for (int j = 1; j < n_; ++j) p(i, j) = p(i - 2, j - 1);
    }
    return pred_;
  }

  Block d135() {
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) p(i, j) = i > 0 && j > 0 ? p(i - 1, j - 1) : around(j - i);
    }
    return pred_;
  }

  Block d153() {
    for (int i = 0; i < n_; ++i) {
      p(i, 0) = half(border(-i - 1), border(-i));
      p(i, 1) = around(-i);
    }
    for (int j = 2; j < n_; ++j) {
      p(0, j) = around(j - 1);
      for (int i = 1; i < n_; ++i) p(i, j) = p(i - 1, j - 2);
    }
    return pred_;
  }

  const Edge& e_;
  int n_;
  int bits_;
  Block pred_;
};

enum class Content { random, extreme, smooth };

std::vector<int> samples_of(Content content, int count, int bits, Random& random) {
  const int most = (1 << bits) - 1;
  std::vector<int> samples(static_cast<std::size_t>(count));
  int level = static_cast<int>(random.below(static_cast<std::uint32_t>(most) + 1));
  for (int& sample : samples) {
    if (content == Content::random) {
      level = static_cast<int>(random.below(static_cast<std::uint32_t>(most) + 1));
    } else if (content == Content::extreme) {
      level = random.below(2) == 0 ? 0 : most;
    } else {
      level = std::clamp(level + static_cast<int>(random.below(7)) - 3, 0, most);
    }
    sample = level;
  }
  return samples;
}

// A block between guards. Its neighbours are in separate memory that has exactly the samples that a
// predictor may read.
template <class Sample>
struct Scene {
  Scene(const Edge& edge, int size, Sample filler)
      : n(size),
        stride(size + 2 * kGuard + 5),
        memory(static_cast<std::size_t>(stride * (size + 2 * kGuard)), filler),
        above(edge.above.begin(), edge.above.end()),
        left(edge.left.begin(), edge.left.end()) {}

  [[nodiscard]] std::vector<Sample> predicted(const vp9::Dsp<Sample>& dsp, std::size_t predictor,
                                              TransformSize transform) const {
    std::vector<Sample> result = memory;
    dsp.intra[predictor][transform](result.data() + first(), stride, above.data() + 1, left.data());
    return result;
  }
  [[nodiscard]] std::vector<Sample> with(const Block& block) const {
    std::vector<Sample> result = memory;
    for (int i = 0; i < n; ++i) {
      std::ranges::transform(block[static_cast<std::size_t>(i)],
                             result.begin() + first() + i * stride,
                             [](int value) { return static_cast<Sample>(value); });
    }
    return result;
  }
  [[nodiscard]] std::ptrdiff_t first() const { return kGuard * stride + kGuard; }

  int n;
  std::ptrdiff_t stride;
  std::vector<Sample> memory, above, left;
};

using Case = std::tuple<int, int>;  // (predictor, transform size)

std::string case_name(const testing::TestParamInfo<Case>& info) {
  constexpr const char* kNames[] = {"dc",   "v",   "h",  "d45",      "d135",    "d117",      "d153",
                                    "d207", "d63", "tm", "dc_above", "dc_left", "dc_nothing"};
  const auto& [predictor, size] = info.param;
  const std::string side = std::to_string(4 << size);
  return std::string(kNames[predictor]) + "_" + side + "x" + side;
}

class IntraPredictors : public testing::TestWithParam<Case> {
 protected:
  // Calls check(scene, edge, scalar table, NEON table) for neighbours of every kind and depth.
  template <class Check>
  void on_all_scenes(const Check& check) {
    at_depth(vp9::scalar_dsp().bits_8, neon::vp9_dsp().bits_8, check);
    at_depth(vp9::scalar_dsp().bits_10, neon::vp9_dsp().bits_10, check);
    at_depth(vp9::scalar_dsp().bits_12, neon::vp9_dsp().bits_12, check);
  }

  [[nodiscard]] static std::size_t predictor() {
    return static_cast<std::size_t>(std::get<0>(GetParam()));
  }
  [[nodiscard]] static TransformSize transform() {
    return static_cast<TransformSize>(std::get<1>(GetParam()));
  }
  [[nodiscard]] static int size() { return 4 << transform(); }

 private:
  template <class Sample, class Check>
  void at_depth(const vp9::Dsp<Sample>& scalar, const vp9::Dsp<Sample>& neon, const Check& check) {
    Random random(kSeed + static_cast<std::uint64_t>(scalar.bits));
    for (const Content content : {Content::random, Content::extreme, Content::smooth}) {
      for (int round = 0; round < 40; ++round) {
        SCOPED_TRACE("content " + std::to_string(static_cast<int>(content)) + ", round " +
                     std::to_string(round) + ", bits " + std::to_string(scalar.bits));
        const Edge edge{samples_of(content, 2 * size() + 1, scalar.bits, random),
                        samples_of(content, size(), scalar.bits, random)};
        check(Scene<Sample>(edge, size(), static_cast<Sample>(round)), edge, scalar, neon);
        if (HasFatalFailure()) return;
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, IntraPredictors,
                         testing::Combine(testing::Range(0, int{vp9::kIntraPredictors}),
                                          testing::Range(0, int{vp9::kTransformSizes})),
                         case_name);

TEST_P(IntraPredictors, of_the_scalar_definition_equal_the_second_model) {
  on_all_scenes([](const auto& scene, Edge edge, const auto& scalar, const auto& /*neon*/) {
    // Larger blocks repeat the last sample above, so the samples after it must have no effect.
    if (size() > 4) {
      std::fill(edge.above.begin() + 1 + size(), edge.above.end(), edge.a(size() - 1));
    }
    const Block block = Model(edge, size(), scalar.bits)(std::get<0>(GetParam()));
    ASSERT_EQ(scene.predicted(scalar, predictor(), transform()), scene.with(block));
  });
}

TEST_P(IntraPredictors, of_neon_equal_the_scalar_definition) {
  on_all_scenes([](const auto& scene, const Edge& /*edge*/, const auto& scalar, const auto& neon) {
    ASSERT_EQ(scene.predicted(neon, predictor(), transform()),
              scene.predicted(scalar, predictor(), transform()));
  });
}

TEST_P(IntraPredictors, of_neon_are_its_own) {
  const auto other = [](const auto& a, const auto& b) {
    EXPECT_NE(a.intra[predictor()][transform()], nullptr);
    EXPECT_NE(a.intra[predictor()][transform()], b.intra[predictor()][transform()]);
  };
  other(vp9::scalar_dsp().bits_8, neon::vp9_dsp().bits_8);
  other(vp9::scalar_dsp().bits_10, neon::vp9_dsp().bits_10);
  other(vp9::scalar_dsp().bits_12, neon::vp9_dsp().bits_12);
}

// Neighbours of a block in a plane, as a decoder finds them. Samples outside of the picture have a
// value next to the middle of the range; samples not yet decoded repeat the last decoded sample.
template <class Sample>
Edge neighbours(const video::PlaneView<Sample>& plane, const vp9::IntraSurroundings& where,
                int size, int bits) {
  const int middle = 1 << (bits - 1);
  Edge edge;
  const auto above = [&](int i) {
    if (!where.above) return middle - 1;
    if (i < 0) return where.left ? int{plane.row(where.y - 1)[where.x - 1]} : middle + 1;
    const int last = size == 4 && where.above_right ? 7 : size - 1;
    return int{plane.row(where.y - 1)[std::min(where.x + std::min(i, last), where.end_x - 1)]};
  };
  for (int i = -1; i < 2 * size; ++i) edge.above.push_back(above(i));
  for (int i = 0; i < size; ++i) {
    const int y = std::min(where.y + i, where.end_y - 1);
    edge.left.push_back(where.left ? int{plane.row(y)[where.x - 1]} : middle + 1);
  }
  return edge;
}

template <class Sample>
void expect_neighbours(const vp9::Dsp<Sample>& dsp) {
  constexpr int kWidth = 128;
  Random random(kSeed);
  std::vector<Sample> memory(kWidth * kWidth);
  std::ranges::transform(samples_of(Content::random, kWidth * kWidth, dsp.bits, random),
                         memory.begin(), [](int value) { return static_cast<Sample>(value); });
  // 72 columns and 88 rows are decoded; blocks are placed inside and across these borders.
  for (int flags = 0; flags < 8; ++flags) {
    for (int size = 0; size < vp9::kTransformSizes; ++size) {
      const int n = 4 << size;
      for (const int x : {0, n, (64 / n) * n, 72 - 4}) {
        for (const int y : {0, n, (80 / n) * n, 88 - 4}) {
          const vp9::IntraSurroundings where{.x = x,
                                             .y = y,
                                             .above = (flags & 1) != 0 && y > 0,
                                             .left = (flags & 2) != 0 && x > 0,
                                             .above_right = (flags & 4) != 0,
                                             .end_x = 72,
                                             .end_y = 88};
          for (int mode = 0; mode < vp9::kIntraModes; ++mode) {
            std::vector<Sample> found = memory;
            const video::PlaneView<Sample> plane{found.data(), kWidth, kWidth, kWidth};
            const Edge edge = neighbours(plane, where, n, dsp.bits);
            int predictor = mode;
            if (mode == vp9::kDcPrediction && !(where.above && where.left)) {
              predictor = where.above  ? vp9::kDcOfAbove
                          : where.left ? vp9::kDcOfLeft
                                       : vp9::kDcOfNothing;
            }
            const Block block = Model(edge, n, dsp.bits)(predictor);
            std::vector<Sample> expected = memory;
            for (int i = 0; i < n; ++i) {
              for (int j = 0; j < n; ++j) {
                *(expected.begin() + (y + i) * kWidth + x + j) = static_cast<Sample>(
                    block[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
              }
            }
            vp9::predict_intra(dsp, plane, where, static_cast<TransformSize>(size),
                               static_cast<vp9::PredictionMode>(mode));
            ASSERT_EQ(found, expected)
                << "mode " << mode << ", size " << n << ", x " << x << ", y " << y << ", above "
                << where.above << ", left " << where.left << ", above right " << where.above_right;
          }
        }
      }
    }
  }
}

TEST(IntraNeighbours, that_are_not_there_are_the_definitions) {
  for (const vp9::DspTables* tables : {&vp9::scalar_dsp(), &neon::vp9_dsp()}) {
    expect_neighbours(tables->bits_8);
    expect_neighbours(tables->bits_10);
    expect_neighbours(tables->bits_12);
  }
}

}  // namespace
}  // namespace sidecore::test_intra_prediction
