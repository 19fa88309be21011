// Tests inter prediction of every kind, size, filter and bit depth. Compares the scalar definition
// and NEON's tables with a model written from the specification's formulas, including blocks that
// extend beyond their reference. Under sanitizers 10 bits stand for 12, which run the same code.
// ctest: unsanitized *on_extreme_samples/bits_12*
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "neon/vp9/dsp.h"
#include "vp9/dsp.h"
#include "vp9/inter_prediction.h"
#include "vp9/interpolation_filters.h"

namespace sidecore::test_inter_prediction {
namespace {

using vp9::InterKind;
using vp9::InterpolationFilter;
using vp9::ReferenceArea;

constexpr std::uint64_t kSeed = 20261122;
constexpr int kSizes[] = {4, 8, 16, 32, 64};
constexpr InterpolationFilter kFilters[] = {vp9::kEightTap, vp9::kEightTapSmooth,
                                            vp9::kEightTapSharp, vp9::kBilinear};

/// Samples of a plane; positions outside of the plane have the value of the nearest border sample.
template <class Sample>
struct Plane {
  int width;
  int height;
  std::vector<Sample> samples;

  Plane(int w, int h) : width(w), height(h), samples(index(0, h)) {}
  [[nodiscard]] std::size_t index(int x, int y) const {
    const int samples_before = y * width + x;
    return static_cast<std::size_t>(samples_before);
  }
  [[nodiscard]] Sample& at(int x, int y) { return samples[index(x, y)]; }
  [[nodiscard]] int clamped(int x, int y) const {
    return samples[index(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1))];
  }
  [[nodiscard]] video::PlaneView<const Sample> view() const {
    return {samples.data(), width, height, width};
  }
};

// Model of section 8.5.2.4 of the specification: always two passes with eight taps, separately for
// each position.
template <class Sample>
std::vector<int> model(const Plane<Sample>& plane, const ReferenceArea& area,
                       InterpolationFilter filter, int bits) {
  const auto rounded = [bits](int sum) { return std::clamp((sum + 64) >> 7, 0, (1 << bits) - 1); };
  const int rows = (((area.height - 1) * area.step_y + 15) >> 4) + 8;
  std::vector<int> between;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < area.width; ++c) {
      const int position = (area.x & 15) + area.step_x * c;
      int sum = 0;
      for (int t = 0; t < 8; ++t) {
        sum += vp9::kInterpolationFilters[filter][position & 15][t] *
               plane.clamped((area.x >> 4) + (position >> 4) + t - 3, (area.y >> 4) + r - 3);
      }
      between.push_back(rounded(sum));
    }
  }
  std::vector<int> result;
  for (int r = 0; r < area.height; ++r) {
    for (int c = 0; c < area.width; ++c) {
      const int position = (area.y & 15) + area.step_y * r;
      int sum = 0;
      for (int t = 0; t < 8; ++t) {
        const int index = ((position >> 4) + t) * area.width + c;
        sum += vp9::kInterpolationFilters[filter][position & 15][t] *
               between[static_cast<std::size_t>(index)];
      }
      result.push_back(rounded(sum));
    }
  }
  return result;
}

enum class Content : std::uint8_t {
  random,
  extremes,  ///< each sample is 0 or the largest sample value
  greatest,  ///< every eighth filter sum is the largest that the taps allow
  least,     ///< every eighth filter sum is the smallest that the taps allow
};
constexpr Content kContents[] = {Content::random, Content::extremes, Content::greatest,
                                 Content::least};

template <class Sample>
void fill(Plane<Sample>& plane, Content content, const ReferenceArea& area,
          InterpolationFilter filter, int bits, Random& random) {
  const int most = (1 << bits) - 1;
  const auto tap = [filter](int start, int at) {
    return vp9::kInterpolationFilters[filter][start & 15][(at - (start >> 4) + 3) & 7];
  };
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < plane.width; ++x) {
      const bool positive = (tap(area.x, x) < 0) == (tap(area.y, y) < 0);
      const auto any = static_cast<int>(random() & 0xffff);
      int value = 0;
      switch (content) {
        case Content::random:
          value = any & most;
          break;
        case Content::extremes:
          value = (any & 1) * most;
          break;
        case Content::greatest:
          value = positive ? most : 0;
          break;
        case Content::least:
          value = positive ? 0 : most;
          break;
      }
      plane.at(x, y) = static_cast<Sample>(value);
    }
  }
}

/// Memory with a block at a random position, surrounded by other samples.
template <class Sample>
class Destination {
 public:
  Destination(const ReferenceArea& area, int bits, Random& random)
      : stride_(area.width + 1 + static_cast<std::ptrdiff_t>(random() % 7)),
        samples_(static_cast<std::size_t>(stride_ * (area.height + 2))),
        first_(stride_ + static_cast<std::ptrdiff_t>(random() % 2)) {
    for (Sample& sample : samples_) {
      sample = static_cast<Sample>(random() & ((1U << static_cast<unsigned>(bits)) - 1));
    }
  }
  [[nodiscard]] Sample* to() { return samples_.data() + first_; }
  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }
  void put(const ReferenceArea& area, const std::vector<int>& block, bool average) {
    auto value = block.begin();
    for (int y = 0; y < area.height; ++y) {
      for (int x = 0; x < area.width; ++x) {
        Sample& sample = to()[y * stride_ + x];
        sample = static_cast<Sample>(average ? (sample + *value + 1) / 2 : *value);
        ++value;
      }
    }
  }
  bool operator==(const Destination&) const = default;

 private:
  std::ptrdiff_t stride_;
  std::vector<Sample> samples_;
  std::ptrdiff_t first_;
};

std::string description(const ReferenceArea& area, InterpolationFilter filter, Content content) {
  return "seed " + std::to_string(kSeed) + ", " + std::to_string(area.width) + "x" +
         std::to_string(area.height) + " at " + std::to_string(area.x) + ", " +
         std::to_string(area.y) + " by " + std::to_string(area.step_x) + ", " +
         std::to_string(area.step_y) + ", filter " + std::to_string(filter) + ", content " +
         std::to_string(static_cast<int>(content));
}

/// Returns the distance from an area's first sample to the last one read along an axis.
int extent(int start, int step, int count) {
  return ((start & 15) + (count - 1) * step) >> 4;
}

using Case = std::tuple<int, bool, InterKind>;

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [bits, average, kind] = info.param;
  constexpr const char* kNames[] = {"copy", "horizontal", "vertical", "both", "scaled"};
  return "bits_" + std::to_string(bits) + (average ? "_average_" : "_put_") +
         kNames[static_cast<std::size_t>(kind)];
}

/// Calls check(scalar table, NEON table) for a bit depth.
template <class Check>
void with_tables(int bits, Check check) {
  const vp9::DspTables& scalar = vp9::scalar_dsp();
  const vp9::DspTables& neon = neon::vp9_dsp();
  if (bits == 8) return check(scalar.bits_8, neon.bits_8);
  if (bits == 10) return check(scalar.bits_10, neon.bits_10);
  check(scalar.bits_12, neon.bits_12);
}

class InterKernels : public testing::TestWithParam<Case> {
 protected:
  /// Compares both tables' kernels for one block, in memory that ends at the kernels' reach.
  void check(const ReferenceArea& area, InterpolationFilter filter, Content content) {
    with_tables(std::get<int>(GetParam()), [&](const auto& scalar, const auto& neon) {
      check(scalar, neon, area, filter, content);
    });
  }

  template <class Sample>
  void check(const vp9::Dsp<Sample>& scalar, const vp9::Dsp<Sample>& neon,
             const ReferenceArea& area, InterpolationFilter filter, Content content) {
    const auto& [bits, average, kind] = GetParam();
    ASSERT_EQ(vp9::inter_kind(area), kind);
    const bool scaled = kind == InterKind::scaled;
    const bool taps_x = scaled || (area.x & 15) != 0;
    const bool taps_y = scaled || (area.y & 15) != 0;
    // A copy or a prediction with fractions must start where its taps have room: at sample 3 along
    // an axis with taps, else at sample 0.
    ASSERT_TRUE(area.x >> 4 == (taps_x ? 3 : 0) && area.y >> 4 == (taps_y ? 3 : 0));
    Plane<Sample> plane(extent(area.x, area.step_x, area.width) + (taps_x ? 9 : 1),
                        extent(area.y, area.step_y, area.height) + (taps_y ? 9 : 1));
    fill(plane, content, area, filter, bits, random_);
    Destination<Sample> expected(area, bits, random_);
    Destination<Sample> by_scalar = expected;
    Destination<Sample> by_neon = expected;
    expected.put(area, model(plane, area, filter, bits), average);
    const Sample* const from = &plane.at(area.x >> 4, area.y >> 4);
    scalar.inter_prediction(average, kind)(from, plane.width, area, filter, by_scalar.to(),
                                           by_scalar.stride());
    neon.inter_prediction(average, kind)(from, plane.width, area, filter, by_neon.to(),
                                         by_neon.stride());
    ASSERT_TRUE(by_scalar == expected) << "scalar, " << description(area, filter, content);
    ASSERT_TRUE(by_neon == expected) << "NEON, " << description(area, filter, content);
  }

  [[nodiscard]] ReferenceArea area_of(int fraction_x, int fraction_y, int width, int height) const {
    const bool scaled = std::get<InterKind>(GetParam()) == InterKind::scaled;
    return {.x = (scaled || fraction_x != 0 ? 48 : 0) + fraction_x,
            .y = (scaled || fraction_y != 0 ? 48 : 0) + fraction_y,
            .width = width,
            .height = height};
  }

  /// Calls each() with all fractions of the kind, along the axes that have a fraction.
  template <class Each>
  void for_each_fraction(Each each) {
    const InterKind kind = std::get<InterKind>(GetParam());
    const bool x = kind == InterKind::horizontal || kind == InterKind::both;
    const bool y = kind == InterKind::vertical || kind == InterKind::both;
    for (int fy = y ? 1 : 0; fy < (y ? 16 : 1); ++fy) {
      for (int fx = x ? 1 : 0; fx < (x ? 16 : 1); ++fx) each(fx, fy);
    }
  }

  Random random_{kSeed};
};

class InterKernelsUnscaled : public InterKernels {};
INSTANTIATE_TEST_SUITE_P(Cases, InterKernelsUnscaled,
                         testing::Combine(testing::Values(8, 10, 12), testing::Bool(),
                                          testing::Values(InterKind::copy, InterKind::horizontal,
                                                          InterKind::vertical, InterKind::both)),
                         case_name);

TEST_P(InterKernelsUnscaled, equal_the_model_at_every_size) {
  for (const int width : kSizes) {
    for (const int height : kSizes) {
      for (const InterpolationFilter filter : kFilters) {
        const Content content = kContents[random_() % 4];
        const InterKind kind = std::get<InterKind>(GetParam());
        const auto fraction = [this](bool moves) {
          return moves ? 1 + static_cast<int>(random_() % 15) : 0;
        };
        const bool x = kind == InterKind::horizontal || kind == InterKind::both;
        const bool y = kind == InterKind::vertical || kind == InterKind::both;
        check(area_of(fraction(x), fraction(y), width, height), filter, content);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(InterKernelsUnscaled, equal_the_model_at_every_fraction_on_extreme_samples) {
  for (const InterpolationFilter filter : kFilters) {
    for_each_fraction([&](int fx, int fy) {
      for (const int width : {4, 8, 16}) {
        for (const Content content : kContents) {
          if (HasFatalFailure()) return;
          check(area_of(fx, fy, width, 8), filter, content);
        }
      }
    });
  }
}

class InterKernelsScaled : public InterKernels {};
INSTANTIATE_TEST_SUITE_P(Cases, InterKernelsScaled,
                         testing::Combine(testing::Values(8, 10, 12), testing::Bool(),
                                          testing::Values(InterKind::scaled)),
                         case_name);

TEST_P(InterKernelsScaled, equal_the_model_at_every_size_and_step) {
  const auto check_size = [&](int width, int height, int step_x, int step_y) {
    for (const InterpolationFilter filter : kFilters) {
      const auto fraction = [this] { return static_cast<int>(random_() % 16); };
      ReferenceArea area = area_of(fraction(), fraction(), width, height);
      area.step_x = step_x;
      area.step_y = step_y;
      check(area, filter, kContents[random_() % 4]);
      if (HasFatalFailure()) return;
    }
  };
  for (const int width : kSizes) {
    for (const int height : kSizes) {
      for (const auto& [step_x, step_y] :
           {std::pair{32, 32}, {1, 1}, {20, 11}, {16, 24}, {8, 16}}) {
        check_size(width, height, step_x, step_y);
      }
    }
  }
  for (int step = 1; step <= 32; ++step) {
    check_size(8, 8, step, step == 16 ? 15 : 33 - step);
    check_size(4, 16, step == 16 ? 17 : step, step);
  }
}

// Tests positions of a block on all sides of its reference, inside and far beyond.
template <class Sample>
void check_around_a_plane(const vp9::Dsp<Sample>& dsp, int step_x, int step_y) {
  constexpr int kWidth = 37;
  constexpr int kHeight = 29;
  Random random(kSeed);
  Plane<Sample> plane(kWidth, kHeight);
  fill(plane, Content::random, {}, vp9::kEightTap, dsp.bits, random);
  for (const int size : {4, 16, 64}) {
    for (int y = -200; y <= kHeight + 30; y = y < -8 || y >= kHeight ? y + 23 : y + 1) {
      for (int x = -200; x <= kWidth + 30; x = x < -8 || x >= kWidth ? x + 23 : x + 1) {
        if (size > 4 && (x + y) % 5 != 0) continue;
        const auto fraction = [&random] { return static_cast<int>(random() % 4 * 5); };
        const ReferenceArea area{.x = x * 16 + fraction(),
                                 .y = y * 16 + fraction(),
                                 .step_x = step_x,
                                 .step_y = step_y,
                                 .width = size,
                                 .height = size == 64 ? 32 : size};
        const bool average = random() % 2 != 0;
        const InterpolationFilter filter = kFilters[random() % 4];
        Destination<Sample> expected(area, dsp.bits, random);
        Destination<Sample> found = expected;
        expected.put(area, model(plane, area, filter, dsp.bits), average);
        vp9::predict_inter(dsp, plane.view(), area, filter, average, found.to(), found.stride());
        ASSERT_TRUE(found == expected) << description(area, filter, Content::random);
      }
    }
  }
}

TEST(InterPrediction, repeats_the_samples_at_a_references_border) {
  for (const int bits : {8, 10, 12}) {
    with_tables(bits, [](const auto& scalar, const auto& neon) {
      check_around_a_plane(scalar, 16, 16);
      check_around_a_plane(neon, 16, 16);
    });
  }
}

TEST(InterPrediction, repeats_the_samples_at_the_border_of_a_reference_of_another_size) {
  for (const int bits : {8, 10}) {
    with_tables(bits, [](const auto& scalar, const auto& neon) {
      check_around_a_plane(scalar, 32, 20);
      check_around_a_plane(neon, 9, 32);
    });
  }
}

TEST(InterpolationFilters, add_up_to_one_mirror_each_other_and_fit_the_sums) {
  for (const InterpolationFilter filter : kFilters) {
    for (int fraction = 0; fraction < 16; ++fraction) {
      int sum = 0;
      int magnitudes = 0;
      for (int tap = 0; tap < 8; ++tap) {
        const int value = vp9::kInterpolationFilters[filter][fraction][tap];
        sum += value;
        magnitudes += std::abs(value);
        if (fraction == 0) {
          EXPECT_EQ(value, tap == 3 ? 128 : 0);
        } else {
          EXPECT_EQ(value, vp9::kInterpolationFilters[filter][16 - fraction][7 - tap]);
        }
        if (filter == vp9::kBilinear) {
          EXPECT_EQ(value, tap == 3 ? 128 - 8 * fraction : tap == 4 ? 8 * fraction : 0);
        }
      }
      EXPECT_EQ(sum, 128);
      EXPECT_LE(magnitudes, 236);
    }
  }
}

}  // namespace
}  // namespace sidecore::test_inter_prediction
