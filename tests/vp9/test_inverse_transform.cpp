// Compares the scalar inverse transforms with sums over cosines and sines, and NEON's tables with
// the scalar definition, on all content that valid and damaged streams may have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "base/random.h"
#include "neon/vp9/dsp.h"
#include "vp9/inverse_transform.h"

namespace sidecore::vp9::test_inverse_transform {
namespace {

/// Returns the value at `n` of the orthonormal basis function of coefficient `k`.
double dct_basis(int size, int k, int n) {
  const double scale = k == 0 ? std::sqrt(1.0 / size) : std::sqrt(2.0 / size);
  return scale * std::cos(std::numbers::pi * (2 * n + 1) * k / (2.0 * size));
}
double adst_basis(int size, int k, int n) {
  if (size == 4) {
    return 2.0 / 3 * std::sin(std::numbers::pi * (n + 1) * (2 * k + 1) / 9.0);
  }
  return std::sqrt(2.0 / size) *
         std::sin(std::numbers::pi * (2 * n + 1) * (2 * k + 1) / (4.0 * size));
}

/// Returns the gain of the transforms over orthonormal ones: 1/8, or 1/4 for 32x32.
double gain(int size) {
  return size == 32 ? 0.25 : 0.125;
}

std::vector<double> definition(const std::vector<std::int32_t>& coefficients, int size,
                               TransformType type) {
  const bool sine_columns = type == kAdstDct || type == kAdstAdst;
  const bool sine_rows = type == kDctAdst || type == kAdstAdst;
  const auto column_basis = sine_columns ? adst_basis : dct_basis;
  const auto row_basis = sine_rows ? adst_basis : dct_basis;
  std::vector<double> samples(coefficients.size(), 0);
  for (int v = 0; v < size; ++v) {
    for (int u = 0; u < size; ++u) {
      const double value = coefficients.data()[v * size + u] * gain(size);
      if (value == 0) continue;
      for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
          samples.data()[y * size + x] += value * column_basis(size, v, y) * row_basis(size, u, x);
        }
      }
    }
  }
  return samples;
}

struct Case {
  TransformSize size;
  TransformType type;
};

/// Returns a few coefficients as an encoder would produce them, in the first `rows` rows.
std::vector<std::int32_t> random_coefficients(Random& random, int size, int rows, int largest) {
  std::vector<std::int32_t> coefficients(static_cast<std::size_t>(size * size), 0);
  for (int index = 0; index < size * rows; ++index) {
    if (random.below(3) != 0) continue;
    const auto magnitude =
        static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(largest)));
    coefficients[static_cast<std::size_t>(index)] = random.below(2) == 0 ? magnitude : -magnitude;
  }
  return coefficients;
}

class Vp9Transform : public ::testing::TestWithParam<Case> {};

TEST_P(Vp9Transform, IsWithinRoundingOfItsDefinition) {
  const auto [transform_size, type] = GetParam();
  const int size = 4 << transform_size;
  Random random(static_cast<std::uint64_t>(size) * 16 + type);
  for (int round = 0; round < 12; ++round) {
    const int rows = round % 2 == 0
                         ? size
                         : 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(size)));
    const std::vector<std::int32_t> coefficients =
        random_coefficients(random, size, rows, round < 4 ? 2 : 600);
    std::vector<std::int16_t> narrow(coefficients.begin(), coefficients.end());
    std::vector<std::uint16_t> samples(coefficients.size(), 2048);
    TransformBlock block;
    block.size = transform_size;
    block.type = type;
    block.rows = static_cast<std::uint8_t>(rows);
    block.end = static_cast<std::uint16_t>(size * size);
    add_residual(block, coefficients.data(), samples.data(), size, 12);
    const std::vector<double> expected = definition(coefficients, size, type);
    for (std::size_t index = 0; index < samples.size(); ++index) {
      const double value = std::clamp(2048 + expected[index], 0.0, 4095.0);
      ASSERT_NEAR(samples[index], value, 1.6) << "sample " << index << ", round " << round;
    }
    // Samples of 8 bits are clamped at an earlier step, so they are tested too.
    std::vector<std::uint8_t> bytes(coefficients.size(), 128);
    add_residual(block, narrow.data(), bytes.data(), size, 8);
    for (std::size_t index = 0; index < bytes.size(); ++index) {
      ASSERT_EQ(bytes[index], std::clamp(samples[index] - 2048 + 128, 0, 255));
    }
  }
}

TEST_P(Vp9Transform, TheShortcutForASingleCoefficientIsExact) {
  const auto [transform_size, type] = GetParam();
  const std::ptrdiff_t size = 4 << transform_size;
  const auto count = static_cast<std::size_t>(size * size);
  for (std::int32_t dc = -3000; dc <= 3000; dc += 37) {
    std::vector<std::int32_t> coefficients(count, 0);
    coefficients[0] = dc;
    TransformBlock block;
    block.size = transform_size;
    block.type = type;
    block.rows = 1;
    block.end = 1;
    std::vector<std::uint16_t> shortcut(count, 2048);
    add_residual(block, coefficients.data(), shortcut.data(), size, 12);
    block.end = 2;
    std::vector<std::uint16_t> whole(count, 2048);
    add_residual(block, coefficients.data(), whole.data(), size, 12);
    ASSERT_EQ(shortcut, whole) << dc;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const TransformSize size : {kTransform4x4, kTransform8x8, kTransform16x16}) {
    for (const TransformType type : {kDctDct, kAdstDct, kDctAdst, kAdstAdst})
      all.push_back({size, type});
  }
  all.push_back({kTransform32x32, kDctDct});
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllPairs, Vp9Transform, ::testing::ValuesIn(cases()),
                         [](const auto& pair) {
                           return std::to_string(4 << pair.param.size) + "x" +
                                  std::to_string(4 << pair.param.size) + "_type" +
                                  std::to_string(int{pair.param.type});
                         });

TEST(Vp9WalshHadamard, AFirstCoefficientOf16RaisesEverySampleByOne) {
  std::vector<std::int16_t> coefficients(16, 0);
  coefficients[0] = 16;
  std::vector<std::uint8_t> samples(16, 10);
  TransformBlock block;
  block.type = kWalshHadamard;
  block.rows = 1;
  block.end = 1;
  add_residual(block, coefficients.data(), samples.data(), 4, 8);
  EXPECT_EQ(samples, std::vector<std::uint8_t>(16, 11));
}

// Fixture of the NEON tests. A block's coefficients and samples are surrounded by other values that
// must not change.

constexpr std::uint64_t kSeed = 20261122;

/// Content of the first `rows` and `columns` of a block's coefficients.
enum class Content {
  sparse,  ///< values are small, most of them zero
  /// Values are the largest for 16-bit lanes, with signs that make one sample's sum largest.
  narrow,
  one,       ///< only one coefficient is nonzero; it fits 16-bit lanes
  large,     ///< values are too large for 16-bit lanes
  any,       ///< values have arbitrary bits of the type
  extremes,  ///< each value is the smallest or largest of the type, or zero
};
constexpr Content kContents[] = {Content::sparse, Content::narrow, Content::one,
                                 Content::large,  Content::any,    Content::extremes};

template <class Sample>
class NeonBlock {
 public:
  using Coefficient = typename Dsp<Sample>::Coefficient;

  NeonBlock(Random& random, const Case& which, Content content, int bits)
      : random_(random), size_(4 << which.size), bits_(bits) {
    block_.size = which.size;
    block_.type = which.type;
    // Chooses few rows and columns often, with extents that just allow a faster code path.
    const auto extent = [&] {
      const int most = below(2) == 0 ? size_ : std::max(1, size_ >> below(4));
      return 1 + below(most);
    };
    rows_ = below(4) == 0 ? size_ : extent();
    columns_ = below(4) == 0 ? size_ : extent();
    const int count = size_ * size_ + 2;
    coefficients_.assign(static_cast<std::size_t>(count), 0);
    fill(content);
    describe();
    stride_ = size_ + below(24);
    first_ = stride_ * 2 + 1 + below(16);
    samples_.resize(static_cast<std::size_t>(first_ + stride_ * (size_ + 2)));
    const int plain = below(3);
    for (Sample& sample : samples_) {
      const int value = plain == 0 ? below(1 << bits) : plain == 1 ? below(2) * top() : top() / 2;
      sample = static_cast<Sample>(value);
    }
  }

  [[nodiscard]] std::vector<Sample> by(const Dsp<Sample>& dsp) const {
    std::vector<Sample> samples = samples_;
    dsp.inverse_transform(block_.size, block_.type)(block_, &coefficients_[1], &samples[at(first_)],
                                                    stride_);
    return samples;
  }
  [[nodiscard]] bool narrow() const { return block_.narrow; }
  [[nodiscard]] std::string text() const {
    return "rows " + std::to_string(block_.rows) + ", columns " + std::to_string(block_.columns) +
           ", end " + std::to_string(block_.end) + (block_.narrow ? ", narrow" : "") + ", stride " +
           std::to_string(stride_);
  }

 private:
  static std::size_t at(std::ptrdiff_t index) { return static_cast<std::size_t>(index); }
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint32_t>(bound)));
  }
  [[nodiscard]] int top() const { return (1 << bits_) - 1; }
  Coefficient& coefficient(int row, int column) {
    return coefficients_[at(1 + row * size_ + column)];
  }

  void fill(Content content) {
    constexpr auto kMin = std::numeric_limits<Coefficient>::min();
    constexpr auto kMax = std::numeric_limits<Coefficient>::max();
    const int y = below(size_);
    const int x = below(size_);
    const auto most = static_cast<int>(TransformBlock::kNarrowSum);
    const int share = most / (rows_ * columns_);
    const int odd_one = below(rows_ * columns_);
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        const bool is_odd_one = row * columns_ + column == odd_one;
        Coefficient& value = coefficient(row, column);
        switch (content) {
          case Content::sparse:
            if (below(4) == 0) value = static_cast<Coefficient>(below(41) - 20);
            break;
          case Content::narrow: {
            const int magnitude = is_odd_one ? most - share * (rows_ * columns_ - 1) : share;
            const bool sine_columns = block_.type == kAdstDct || block_.type == kAdstAdst;
            const bool sine_rows = block_.type == kDctAdst || block_.type == kAdstAdst;
            const double weight = (sine_columns ? adst_basis : dct_basis)(size_, row, y) *
                                  (sine_rows ? adst_basis : dct_basis)(size_, column, x);
            value = static_cast<Coefficient>(weight < 0 ? -magnitude : magnitude);
            break;
          }
          case Content::one:
            if (is_odd_one) value = static_cast<Coefficient>(below(2 * most + 1) - most);
            break;
          case Content::large:
            value = static_cast<Coefficient>(below(65536) - 32768);
            break;
          case Content::any:
            value = static_cast<Coefficient>(random_());
            break;
          case Content::extremes: {
            const int which = below(3);
            value = which == 0 ? kMin : which == 1 ? kMax : Coefficient{0};
            break;
          }
        }
      }
    }
  }

  /// Sets the block's description as the parser does.
  void describe() {
    std::uint64_t sum = 0;
    int lowest = 0;
    int columns = 0;
    bool only_first = true;
    for (int index = 0; index < size_ * size_; ++index) {
      const std::int64_t value = coefficients_[at(1 + index)];
      if (value == 0) continue;
      only_first = only_first && index == 0;
      sum += static_cast<std::uint64_t>(value < 0 ? -value : value);
      lowest = index / size_;
      columns |= index % size_;
    }
    block_.rows = static_cast<std::uint8_t>(lowest + 1);
    block_.columns = static_cast<std::uint8_t>(columns + 1);
    block_.end = only_first ? 1 : 2;
    block_.narrow = sum <= TransformBlock::kNarrowSum && below(8) != 0;
  }

  Random& random_;
  int size_;
  int bits_;
  int rows_ = 0;
  int columns_ = 0;
  TransformBlock block_;
  std::vector<Coefficient> coefficients_;
  std::vector<Sample> samples_;
  std::ptrdiff_t stride_ = 0;
  std::ptrdiff_t first_ = 0;
};

template <class Sample>
void compare_with_scalar(const Case& which, const Dsp<Sample>& scalar, const Dsp<Sample>& neon) {
  Random random(kSeed + static_cast<std::uint64_t>(which.size * 8 + which.type));
  ASSERT_NE(scalar.inverse_transform(which.size, which.type),
            neon.inverse_transform(which.size, which.type));
  for (const Content content : kContents) {
    int narrow = 0;
    const int rounds = which.size == kTransform32x32 ? 150 : 300;
    for (int round = 0; round < rounds; ++round) {
      const NeonBlock<Sample> block(random, which, content, scalar.bits);
      narrow += block.narrow();
      const std::vector<Sample> expected = block.by(scalar);
      const std::vector<Sample> found = block.by(neon);
      const auto [ours, theirs] = std::ranges::mismatch(found, expected);
      ASSERT_TRUE(ours == found.end())
          << "seed " << kSeed << ", content " << static_cast<int>(content) << ", round " << round
          << ", " << scalar.bits << " bits, " << block.text() << ": sample " << ours - found.begin()
          << " is " << *ours << ", expected " << *theirs;
    }
    if (content <= Content::one) {
      EXPECT_GT(narrow, rounds / 2);
    }
    if (content >= Content::large) {
      EXPECT_LT(narrow, rounds / 2);
    }
  }
}

class InverseTransformNeon : public ::testing::TestWithParam<Case> {};

TEST_P(InverseTransformNeon, equals_the_scalar_definition) {
  const DspTables& scalar = scalar_dsp();
  const DspTables& neon = neon::vp9_dsp();
  compare_with_scalar(GetParam(), scalar.bits_8, neon.bits_8);
  compare_with_scalar(GetParam(), scalar.bits_10, neon.bits_10);
  compare_with_scalar(GetParam(), scalar.bits_12, neon.bits_12);
}

std::vector<Case> cases_of_tables() {
  std::vector<Case> all = cases();
  all.push_back({kTransform4x4, kWalshHadamard});
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, InverseTransformNeon, ::testing::ValuesIn(cases_of_tables()),
                         [](const auto& pair) {
                           return std::to_string(4 << pair.param.size) + "x" +
                                  std::to_string(4 << pair.param.size) + "_type" +
                                  std::to_string(int{pair.param.type});
                         });

}  // namespace
}  // namespace sidecore::vp9::test_inverse_transform
