// The QPU implementation of psnr_hvs compared with the scalar definition, on the default device
// under the validation layer and V3D's limits.
// ctest: long, v3dsim
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/feature.h"
#include "metrics/psnr_hvs_scene.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/metrics/psnr_hvs.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_psnr_hvs_qpu {
namespace {

using qpu::HvsVariant;
using test::HvsContent;
using test::HvsScene;
using video::Chroma;

constexpr std::size_t kLanes = qpu::shader::kHvsRunBlocks;
constexpr std::size_t kRunTerms = metrics::kHvsTerms * kLanes;

struct Result {
  std::vector<float> terms;
  std::vector<float> sums;
};

class PsnrHvsQpu : public test::QpuTest {
 protected:
  static std::shared_ptr<qpu::Buffer> buffer_of(const void* bytes, std::size_t size) {
    auto buffer = device()->create_buffer(size);
    std::memcpy(buffer->bytes().data(), bytes, size);
    return buffer;
  }

  static Result run(const HvsScene& scene, HvsVariant variant) {
    const video::PictureFormat& format = scene.reference.format();
    const qpu::PsnrHvs kernel(*device(), format, variant);
    const auto reference =
        buffer_of(scene.reference.bytes().data(), scene.reference.bytes().size());
    const auto distorted =
        buffer_of(scene.distorted.bytes().data(), scene.distorted.bytes().size());
    const auto terms = device()->create_buffer(kernel.terms_bytes());
    const auto sums = device()->create_buffer(3 * sizeof(float));
    const auto list = device()->create_command_list();
    list->upload({.buffer = reference.get()});
    list->upload({.buffer = distorted.get()});
    kernel.record(*list, {.buffer = reference.get()}, {.buffer = distorted.get()},
                  {.buffer = terms.get()}, {.buffer = sums.get()});
    list->download({.buffer = terms.get()});
    list->download({.buffer = sums.get()});
    list->finish();
    device()->submit(*list).wait();
    const auto all_terms = terms->as<float>();
    const auto all_sums = sums->as<float>();
    return {{all_terms.begin(), all_terms.end()}, {all_sums.begin(), all_sums.end()}};
  }

  static void expect_scalar_result(const HvsScene& scene) {
    std::vector<float> terms;
    for (int plane = 0; plane < 3; ++plane) append_scalar_terms(scene, plane, terms);
    // Variant `block` is skipped on devices for which it is not meant, because they take minutes to
    // compile it.
    for (const HvsVariant variant :
         std::set{HvsVariant::lanes, qpu::default_hvs_variant(device()->info())}) {
      SCOPED_TRACE(variant == HvsVariant::lanes ? "lanes" : "block");
      expect_result(scene, run(scene, variant), terms);
    }
  }

 private:
  static void expect_result(const HvsScene& scene, const Result& result,
                            const std::vector<float>& terms) {
    const video::PictureFormat& format = scene.reference.format();
    ASSERT_EQ(result.terms.size(), terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      ASSERT_EQ(result.terms[i], terms[i])
          << to_string(format) << ", run " << i / kRunTerms << ", block " << i % kLanes << ", term "
          << i % kRunTerms / kLanes;
    }
    for (int plane = 0; plane < 3; ++plane) {
      ASSERT_EQ(result.sums[static_cast<std::size_t>(plane)],
                metrics::hvs_sum(scene.reference, scene.distorted, plane))
          << to_string(format) << ", plane " << plane;
    }
  }

  static void append_scalar_terms(const HvsScene& scene, int plane, std::vector<float>& terms) {
    const metrics::HvsGrid grid = metrics::hvs_grid(scene.reference.format(), plane);
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        const std::size_t lane = static_cast<std::size_t>(column) % kLanes;
        if (lane == 0) terms.resize(terms.size() + kRunTerms);
        const auto of_block = block_terms(scene, plane, column * 7, row * 7);
        float* const of_run = &terms[terms.size() - kRunTerms];
        for (std::size_t i = 0; i < of_block.size(); ++i) of_run[i * kLanes + lane] = of_block[i];
      }
    }
  }

  static std::array<float, metrics::kHvsTerms> block_terms(const HvsScene& scene, int plane, int x,
                                                           int y) {
    return scene.reference.format().pixel.bits == 8
               ? metrics::hvs_block_terms(scene.reference.plane<std::uint8_t>(plane),
                                          scene.distorted.plane<std::uint8_t>(plane), plane, x, y)
               : metrics::hvs_block_terms(scene.reference.plane<std::uint16_t>(plane),
                                          scene.distorted.plane<std::uint16_t>(plane), plane, x, y);
  }
};

TEST_F(PsnrHvsQpu, gives_the_scalar_terms_and_sums_for_every_content_and_depth) {
  for (const int bits : {8, 10, 12}) {
    for (const HvsContent content : test::kHvsContents) {
      SCOPED_TRACE(fmt::format("content {}", static_cast<int>(content)));
      expect_scalar_result(test::make_hvs_scene({293, 187, {Chroma::c420, bits}}, content, 5));
    }
  }
}

TEST_F(PsnrHvsQpu, gives_the_scalar_terms_and_sums_of_random_pictures) {
  const std::uint64_t seed = 20262;
  Random random(seed);
  const int pictures = device()->info().simulated ? 10 : 200;
  for (int i = 0; i < pictures; ++i) {
    const video::PictureFormat format = test::random_hvs_format(120, random);
    const HvsContent content = test::kHvsContents[random.below(test::kHvsContents.size())];
    SCOPED_TRACE(fmt::format("seed {}, number {}, content {}", seed, i, static_cast<int>(content)));
    expect_scalar_result(test::make_hvs_scene(format, content, random()));
  }
}

// A row of 35 blocks has a run of 16, another run of 16, and 3 lanes of a third. Sizes are one
// sample more or less than whole blocks.
TEST_F(PsnrHvsQpu, gives_the_scalar_terms_and_sums_at_the_ends_of_runs) {
  for (const int width : {8, 113, 114, 119, 120, 246}) {
    expect_scalar_result(
        test::make_hvs_scene({width, 23, {Chroma::c444, 10}}, HvsContent::noise, 6));
  }
}

/// Adds terms of one plane of 32 x 6 blocks on the device, with estimates that the test chooses.
class PsnrHvsQpuSum : public PsnrHvsQpu {
 protected:
  static constexpr video::PictureFormat kFormat{32 * 7 + 1, 6 * 7 + 1, {Chroma::c400, 8}};
  static constexpr std::size_t kRuns = 12;
  using Terms = std::vector<float>;

  static float serial_sum(const Terms& terms) {
    float sum = 0;
    for (std::size_t block = 0; block < kRuns * kLanes; ++block) {
      for (std::size_t i = 0; i < metrics::kHvsTerms; ++i) sum += term(terms, block, i);
    }
    return sum;
  }
  static float& term(Terms& terms, std::size_t block, std::size_t i) {
    return terms[block / kLanes * kRunTerms + i * kLanes + block % kLanes];
  }
  static float term(const Terms& terms, std::size_t block, std::size_t i) {
    return terms[block / kLanes * kRunTerms + i * kLanes + block % kLanes];
  }
  static std::vector<float> run_sums(const Terms& terms) {
    std::vector<float> sums(kRuns);
    for (std::size_t i = 0; i < terms.size(); ++i) sums[i / kRunTerms] += terms[i];
    return sums;
  }

  static float device_sum(const Terms& terms, const std::vector<float>& guesses) {
    const qpu::PsnrHvs kernel(*device(), kFormat, HvsVariant::lanes);
    EXPECT_EQ(kernel.runs(), kRuns);
    EXPECT_EQ(kernel.terms_bytes(), terms.size() * sizeof(float));
    const auto all = buffer_of(terms.data(), terms.size() * sizeof(float));
    const auto sums = buffer_of(guesses.data(), guesses.size() * sizeof(float));
    const auto result = device()->create_buffer(sizeof(float));
    const auto list = device()->create_command_list();
    list->upload({.buffer = all.get()});
    list->upload({.buffer = sums.get()});
    kernel.record_sum(*list, {.buffer = all.get()}, {.buffer = sums.get()},
                      {.buffer = result.get()});
    list->download({.buffer = result.get()});
    list->finish();
    device()->submit(*list).wait();
    return result->as<float>()[0];
  }

  // Estimates are good, or bad: all far too small, all far too large, and alternating.
  static void expect_serial_sum(const Terms& terms) {
    const float expected = serial_sum(terms);
    const std::vector<float> good = run_sums(terms);
    EXPECT_EQ(device_sum(terms, good), expected);
    for (const auto& [even, odd] :
         {std::pair{1e-9F, 1e-9F}, std::pair{1e9F, 1e9F}, std::pair{1e-3F, 40.0F}}) {
      std::vector<float> wrong = good;
      for (std::size_t run = 0; run < kRuns; ++run) wrong[run] *= run % 2 == 0 ? even : odd;
      EXPECT_EQ(device_sum(terms, wrong), expected);
    }
  }
};

TEST_F(PsnrHvsQpuSum, rounds_ties_by_the_parity_of_the_sum_before) {
  Random random(21);
  Terms terms(kRuns * kRunTerms);
  // The odd terms are ties, because from the second block on the unit in the last place is 2.
  for (float& value : terms) value = static_cast<float>(random.below(4));
  for (std::size_t i = 0; i < metrics::kHvsTerms; ++i) term(terms, 0, i) = 300000;
  expect_serial_sum(terms);
}

TEST_F(PsnrHvsQpuSum, leaves_binades_in_the_middle_of_blocks) {
  Random random(22);
  for (int i = 0; i < 4; ++i) {
    Terms terms(kRuns * kRunTerms);
    for (float& value : terms) {
      const int exponent = static_cast<int>(random.below(40)) - 30;
      value = std::ldexp(static_cast<float>(random() >> 8U), exponent);
    }
    expect_serial_sum(terms);
  }
}

// No two blocks have the same binade, because each block more than doubles the sum.
TEST_F(PsnrHvsQpuSum, leaves_a_binade_in_every_block) {
  Terms terms(kRuns * kRunTerms);
  for (std::size_t block = 0; block < 100; ++block) {
    term(terms, block, block % 64) = std::ldexp(1.375F, static_cast<int>(block) - 40);
  }
  expect_serial_sum(terms);
}

TEST_F(PsnrHvsQpuSum, stops_at_the_end_of_a_binade_and_goes_on) {
  // The sum reaches 2^24 exactly, by single units; then 1 is a tie, and 2 is a unit.
  Terms terms(kRuns * kRunTerms);
  term(terms, 0, 0) = 16777216.0F - 40;
  for (std::size_t block = 3; block < 43; ++block) term(terms, block, 5) = 1;
  for (std::size_t block = 50; block < 60; ++block) term(terms, block, 7) = 1;
  for (std::size_t block = 60; block < 70; ++block) term(terms, block, 9) = 2;
  ASSERT_EQ(serial_sum(terms), 16777236.0F);
  expect_serial_sum(terms);
}

TEST_F(PsnrHvsQpuSum, is_zero_without_terms_and_starts_late) {
  Terms terms(kRuns * kRunTerms);
  expect_serial_sum(terms);
  term(terms, 170, 63) = 0.125F;
  expect_serial_sum(terms);
}

// A C++ copy of quotient_by() in psnr_hvs_terms.glsl, statement by statement.
float leading_bits(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xfffff000U);
}
float quotient_by(float a, const qpu::HvsDivisor& b) {
  const float estimate = a * (b.reciprocal_high + b.reciprocal_low);
  const float estimate_high = leading_bits(estimate);
  const float estimate_low = estimate - estimate_high;
  const float b_high = leading_bits(b.value);
  const float b_low = b.value - b_high;
  const float remainder =
      ((a - estimate_high * b_high) - estimate_high * b_low - estimate_low * b_high) -
      estimate_low * b_low;
  const float high = leading_bits(remainder);
  const float low = remainder - high;
  return estimate +
         (high * b.reciprocal_high + (low * b.reciprocal_high + remainder * b.reciprocal_low));
}

// Divides every significand by every threshold. Dividends with other exponents need no test,
// because a factor of a power of two does not change how the quotient is rounded.
TEST(PsnrHvsQuotient, IsRoundedAsIeeeHasItOnFullRangesOfThresholds) {
#ifdef SIDECORE_SANITIZED
  // Under sanitizers only every 101st significand is tested, because all of them would take
  // minutes.
  constexpr std::uint32_t kStep = 101;
#else
  constexpr std::uint32_t kStep = 1;
#endif
  std::set<float> divisors;
  for (int plane = 0; plane < 3; ++plane) {
    const auto& masking = metrics::hvs_tables(plane).masking;
    divisors.insert(masking.begin(), masking.end());
  }
  ASSERT_EQ(divisors.size(), 108U);
  for (const float divisor : divisors) {
    const qpu::HvsDivisor parts = qpu::hvs_divisor(divisor);
    std::uint32_t wrong = 0;
    for (std::uint32_t significand = 0; significand < 0x800000U; significand += kStep) {
      const auto a = std::bit_cast<float>(0x3f800000U + significand);
      wrong += quotient_by(a, parts) == a / divisor ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U) << divisor;
  }
  EXPECT_EQ(quotient_by(0, qpu::hvs_divisor(*divisors.begin())), 0);
}

}  // namespace
}  // namespace sidecore::test_psnr_hvs_qpu
