// The QPU implementation of float_adm compared with the scalar definition, on the default device
// under the validation layer and V3D's limits.
// ctest: long, v3dsim
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/adm_pictures.h"
#include "metrics/float_adm_sums.h"
#include "qpu/metrics/feature_work.h"
#include "qpu/metrics/float_adm.h"
#include "qpu/qpu_fixtures.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_float_adm_qpu {
namespace {

using metrics::AdmOptions;
using metrics::AdmSums;

class FloatAdmQpu : public test::QpuTest {
 protected:
  static AdmSums sums(const test::PicturePair& pair, const AdmOptions& options) {
    const video::PictureFormat format = pair.reference.format();
    const qpu::FloatAdm kernel(*device(), format, options);
    qpu::DevicePicture reference(*device(), format);
    qpu::DevicePicture distorted(*device(), format);
    std::ranges::copy(pair.reference.bytes(), reference.picture().bytes().begin());
    std::ranges::copy(pair.distorted.bytes(), distorted.picture().bytes().begin());
    const auto totals = device()->create_buffer(qpu::FloatAdm::kResultBytes);
    const auto rows = device()->create_buffer(kernel.row_bytes());
    const auto list = device()->create_command_list();
    list->upload(reference.plane(0));
    list->upload(distorted.plane(0));
    kernel.record(*list, reference.plane(0), reference.stride(0), distorted.plane(0),
                  distorted.stride(0), {.buffer = rows.get()}, {.buffer = totals.get()});
    list->download({.buffer = totals.get()});
    list->finish();
    // Numbers of dispatches: transform and masking, exact recomputation and rows of each scale, and
    // the total. Barriers are between the four transforms and between the passes after them. Staged
    // memory adds one after the upload and one before the download.
    EXPECT_EQ(list->dispatch_count(), 4U * 4 + 1);
    EXPECT_EQ(list->barrier_count(), totals->staged() ? 9U : 7U);
    device()->submit(*list).wait();
    return qpu::FloatAdm::sums(totals->bytes());
  }

  static void expect_scalar_sums(const test::PicturePair& pair, const AdmOptions& options) {
    CallingThread thread;
    const AdmSums expected = metrics::FloatAdm(pair.reference.format(), options, 1)
                                 .sums(pair.reference, pair.distorted, thread);
    const AdmSums actual = sums(pair, options);
    for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
      const auto expect = [&](const char* what, const metrics::PerBand<float>& a,
                              const metrics::PerBand<float>& b) {
        for (std::size_t band = 0; band < metrics::kAdmBands; ++band) {
          EXPECT_EQ(std::bit_cast<std::uint32_t>(a[band]), std::bit_cast<std::uint32_t>(b[band]))
              << what << ", scale " << k << ", band " << band << ": " << a[band] << ", not "
              << b[band];
        }
      };
      expect("reference", actual.scales[k].reference, expected.scales[k].reference);
      expect("restored", actual.scales[k].restored, expected.scales[k].restored);
      expect("impairment", actual.scales[k].impairment, expected.scales[k].impairment);
    }
  }
};

video::PictureFormat luma_format(int width, int height, int bits) {
  return {width, height, {video::Chroma::c400, bits}};
}

TEST_F(FloatAdmQpu, sums_pictures_of_any_size_and_depth_as_the_definition) {
  const std::uint64_t seed = 20261124;
  Random random(seed);
  for (int i = 0; i < 40; ++i) {
    const int bits = std::array{8, 10, 12, 16}[static_cast<std::size_t>(i / 4 % 4)];
    const int width = 17 + static_cast<int>(random.below(i < 20 ? 30 : 180));
    const int height = 17 + static_cast<int>(random.below(i < 20 ? 30 : 120));
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}x{}, {} bits", seed, i, width, height, bits));
    AdmOptions options;
    options.enhancement_gain_limit = i % 3 == 0 ? 1 : i % 3 == 1 ? 1.25 : 100;
    const test::PicturePair pair =
        test::adm_pictures(luma_format(width, height, bits), test::kAdmContents[i % 4], random);
    expect_scalar_sums(pair, options);
  }
}

// With this many samples, some thresholds need the exact computation; without it this test fails.
TEST_F(FloatAdmQpu, recomputes_what_binary32_leaves_undecided_in_large_pictures) {
  Random random(20261126);
  expect_scalar_sums(
      test::adm_pictures(luma_format(1920, 1080, 16), test::AdmContent::noise, random), {});
}

TEST_F(FloatAdmQpu, refuses_what_shaders_cannot_do_to_the_bit) {
  const auto refusal = [](const AdmOptions& options) { return qpu::float_adm_refusal(options); };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.enhancement_gain_limit = 1.5}), "");
  EXPECT_EQ(
      refusal({.enhancement_gain_limit = 1.1}),
      "float_adm's shaders need an adm_enhn_gain_limit that binary32 holds exactly, unlike 1.1");
  EXPECT_EQ(refusal({.p_norm = 2}), "float_adm's shaders support only adm_p_norm 3, not 2");
  EXPECT_THROW(qpu::FloatAdm(*device(), luma_format(64, 64, 8), {.p_norm = 2}), Error);
  EXPECT_THROW(qpu::FloatAdm(*device(), luma_format(16, 64, 8), {}), Error);
}

TEST_F(FloatAdmQpu, refuses_strides_and_ranges_that_do_not_hold_the_rows) {
  const qpu::FloatAdm kernel(*device(), luma_format(101, 20, 8), {});
  const auto plane = device()->create_buffer(std::size_t{104} * 20);
  const auto rows = device()->create_buffer(kernel.row_bytes());
  const auto totals = device()->create_buffer(qpu::FloatAdm::kResultBytes);
  const auto list = device()->create_command_list();
  const qpu::BufferRange whole{.buffer = plane.get()};
  const qpu::BufferRange part{.buffer = plane.get(), .offset = 0, .size = 104 * 20 - 4};
  const auto record = [&](const qpu::BufferRange& reference, std::size_t stride,
                          const qpu::BufferRange& distorted, std::size_t distorted_stride) {
    kernel.record(*list, reference, stride, distorted, distorted_stride, {.buffer = rows.get()},
                  {.buffer = totals.get()});
  };
  EXPECT_THROW(record(whole, 102, whole, 104), Error);
  EXPECT_THROW(record(whole, 104, whole, 100), Error);
  EXPECT_THROW(record(whole, 108, whole, 104), Error);
  EXPECT_THROW(record(part, 104, whole, 104), Error);
  EXPECT_NO_THROW(record(whole, 104, whole, 104));
}

/// Results that float_adm_arithmetic.comp writes for a pair of numbers.
struct Arithmetic {
  float neighbour, lower, upper, exact, restored;
};

class FloatAdmQpuArithmetic : public FloatAdmQpu {
 protected:
  static std::vector<Arithmetic> compute(const std::vector<std::array<float, 2>>& pairs) {
    struct Push {
      std::uint32_t count;
    };
    const auto program = device()->program(qpu::test_shader("float_adm_arithmetic"), {});
    const auto input = device()->create_buffer(pairs.size() * sizeof pairs[0]);
    const auto output = device()->create_buffer(pairs.size() * sizeof(Arithmetic));
    std::memcpy(input->bytes().data(), pairs.data(), input->size());
    const auto list = device()->create_command_list();
    list->upload({.buffer = input.get()});
    const qpu::BufferRange bindings[] = {{.buffer = input.get()}, {.buffer = output.get()}};
    const auto count = static_cast<std::uint32_t>(pairs.size());
    list->dispatch(*program, bindings, Push{count}, {(count + 63) / 64, 1, 1});
    list->download({.buffer = output.get()});
    list->finish();
    device()->submit(*list).wait();
    const auto results = output->as<Arithmetic>();
    return {results.begin(), results.end()};
  }
};

/// Returns a number of about 2^exponent, of either sign.
float number(Random& random, int least_exponent, int greatest_exponent) {
  const int exponent = least_exponent + static_cast<int>(random.below(static_cast<std::uint32_t>(
                                            greatest_exponent - least_exponent + 1)));
  const float significand = 1.0F + static_cast<float>(random.below(1U << 23)) * 0x1p-23F;
  return std::ldexp(random.below(2) == 0 ? significand : -significand, exponent);
}

// These are all cases, because scaling by a power of two changes only the exponent. The simulator
// runs every 16th case.
TEST_F(FloatAdmQpuArithmetic, is_that_of_binary64_for_every_significand_of_a_neighbour) {
  constexpr std::uint32_t kSignificands = 1U << 23;
  constexpr std::uint32_t kChunk = 1U << 19;
  const std::uint32_t step = device()->info().simulated ? 16 : 1;
  std::vector<std::array<float, 2>> pairs(kChunk / step);
  for (std::uint32_t first = 0; first < kSignificands; first += kChunk) {
    for (std::uint32_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = {1, std::bit_cast<float>(0x40000000U + first + i * step)};
    }
    const std::vector<Arithmetic> results = compute(pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const float y = pairs[i][1];
      ASSERT_EQ(results[i].neighbour, static_cast<float>(metrics::kAdmNeighbourMasking * double{y}))
          << fmt::format("{:a}", y);
    }
  }
}

TEST_F(FloatAdmQpuArithmetic, is_that_of_binary64_and_of_a_true_division) {
  Random random(20261125);
  std::vector<std::array<float, 2>> pairs;
  // Pairs of coefficients near each other, with quotients near 1, and of coefficients far from each
  // other.
  for (int i = 0; i < 20000; ++i) {
    const float x = number(random, -31, 13);
    pairs.push_back({x, number(random, -31, 13)});
    pairs.push_back({x, x * (1.0F + 0x1p-20F * number(random, -4, 12))});
    const std::uint32_t step = random.below(9);
    pairs.push_back({x, std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) - 4 + step)});
  }
  pairs.push_back({0.0F, 3.5F});
  pairs.push_back({3.5F, 0.0F});
  pairs.push_back({0.0F, 0.0F});
  // These sums end next to the middle between two binary32 numbers, so that the last bits of
  // binary64 decide the rounding.
  for (int i = 0; i < 20000; ++i) {
    const float y = std::fabs(number(random, -40, 13));
    const double product = 0.0666666701 * double{y};
    const float sum = std::ldexp(std::fabs(number(random, 0, 0)),
                                 std::ilogb(product) + static_cast<int>(random.below(27)) - 2);
    const auto rounded = static_cast<float>(double{sum} + product);
    const float next = std::nextafter(rounded, random.below(2) == 0 ? 0.0F : 1e9F);
    const double middle = (double{rounded} + double{next}) / 2;
    pairs.push_back({sum, y});
    pairs.push_back({static_cast<float>(middle - product), y});
    pairs.push_back({sum, static_cast<float>((middle - double{sum}) / 0.0666666701)});
  }
  const std::vector<Arithmetic> results = compute(pairs);
  std::size_t undecided = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [x, y] = pairs[i];
    const auto& r = results[i];
    SCOPED_TRACE(fmt::format("number {}: {:a} and {:a}", i, x, y));
    const auto expect_bits = [&](const char* what, float actual, float expected) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(actual), std::bit_cast<std::uint32_t>(expected))
          << what << ": " << actual << ", not " << expected;
    };
    expect_bits("neighbour", r.neighbour,
                static_cast<float>(metrics::kAdmNeighbourMasking * double{std::fabs(y)}));
    const auto centre = static_cast<float>(double{std::fabs(x)} +
                                           metrics::kAdmCentreMasking * double{std::fabs(y)});
    expect_bits("centre", r.exact, centre);
    EXPECT_LE(r.lower, centre);
    EXPECT_GE(r.upper, centre);
    undecided += r.lower != r.upper ? 1 : 0;
    const float share = std::clamp(y / (x + metrics::kAdmDivisorOffset), 0.0F, 1.0F);
    EXPECT_EQ(r.restored, share * x) << "restored";
    if (HasFailure()) break;
  }
  EXPECT_GT(undecided, 100U) << "the bounds were hardly tested";
}

}  // namespace
}  // namespace sidecore::test_float_adm_qpu
