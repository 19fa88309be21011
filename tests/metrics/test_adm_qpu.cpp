// adm on the QPU compared with the scalar definition, on the default device under the validation
// layer and V3D's limits.
// ctest: long, v3dsim
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/adm.h"
#include "metrics/adm_pictures.h"
#include "qpu/metrics/adm.h"
#include "qpu/metrics/feature_work.h"
#include "qpu/qpu_fixtures.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_adm_qpu {
namespace {

using metrics::IntegerAdmRequest;
using metrics::IntegerAdmSums;
using metrics::IntegerAdmTotals;
using metrics::kAdmScales;
using test::PicturePair;
using video::PictureFormat;

PictureFormat luma_format(int width, int height, int bits) {
  return {width, height, {video::Chroma::c400, bits}};
}

std::vector<IntegerAdmRequest> parsed(const PictureFormat& format,
                                      const std::vector<std::string>& requests) {
  std::vector<metrics::FeatureRequest> features;
  features.reserve(requests.size());
  for (const std::string& request : requests) {
    features.push_back(metrics::parse_feature_request(request));
  }
  return metrics::integer_adm_requests(format, features);
}

using RowSums = std::array<std::vector<IntegerAdmSums>, kAdmScales>;

/// Returns the sums of all summed rows, from the scalar definition.
RowSums scalar_rows(const PicturePair& pair, const IntegerAdmRequest& request) {
  CallingThread thread;
  metrics::IntegerAdmSummer summer(pair.reference.format(), request.scales, 1, metrics::adm_rows());
  metrics::AdmScales geometry;
  for (std::size_t k = 0; k < kAdmScales; ++k) geometry[k] = request.scales[k].geometry;
  const metrics::AdmRows rows = metrics::summed_rows(geometry);
  summer.transform(metrics::luma_view(pair.reference), metrics::luma_view(pair.distorted), rows,
                   thread);
  RowSums sums;
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    sums[k].resize(static_cast<std::size_t>(rows[k].last - rows[k].first));
    summer.sum_rows(request.scales[k], rows[k], thread, sums[k]);
  }
  return sums;
}

class AdmQpu : public test::QpuTest {
 protected:
  static void expect_scalar_sums(const PicturePair& pair,
                                 const std::vector<std::string>& requests) {
    const PictureFormat& format = pair.reference.format();
    const qpu::Adm kernel(*device(), format);
    qpu::DevicePicture reference(*device(), format);
    qpu::DevicePicture distorted(*device(), format);
    std::ranges::copy(pair.reference.bytes(), reference.picture().bytes().begin());
    std::ranges::copy(pair.distorted.bytes(), distorted.picture().bytes().begin());
    const auto totals = device()->create_buffer(qpu::Adm::kResultBytes);
    const auto rows = device()->create_buffer(kernel.row_places().rows * sizeof(IntegerAdmSums));
    for (const IntegerAdmRequest& request : parsed(format, requests)) {
      const auto list = device()->create_command_list();
      list->upload(reference.plane(0));
      list->upload(distorted.plane(0));
      kernel.record_transform(*list, reference.plane(0), reference.stride(0), distorted.plane(0),
                              distorted.stride(0));
      kernel.record_sums(*list, request, {.buffer = rows.get()}, {.buffer = totals.get()});
      list->download({.buffer = rows.get()});
      list->download({.buffer = totals.get()});
      list->finish();
      // Numbers of dispatches: transform, details and rows of each scale, and the total. Barriers
      // are between the four transforms and between the passes after them.
      EXPECT_EQ(list->dispatch_count(), 3U * 4 + 1);
      EXPECT_EQ(list->barrier_count(), totals->staged() ? 8U : 6U);
      device()->submit(*list).wait();
      expect_sums(rows->as<IntegerAdmSums>(), kernel.row_places(), totals->as<IntegerAdmSums>(),
                  scalar_rows(pair, request));
    }
  }

 private:
  static void expect_sums(std::span<const IntegerAdmSums> rows, const qpu::AdmRowPlaces& places,
                          std::span<const IntegerAdmSums> totals, const RowSums& expected) {
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      IntegerAdmSums total;
      for (std::size_t row = 0; row < expected[k].size(); ++row) {
        const IntegerAdmSums& sums = expected[k][row];
        ASSERT_EQ(rows[places.first[k] + row], sums) << "scale " << k << ", row " << row;
        for (std::size_t b = 0; b < metrics::kAdmBands; ++b) {
          total.reference[b] += sums.reference[b];
          total.restored[b] += sums.restored[b];
          total.impairment[b] += sums.impairment[b];
        }
      }
      EXPECT_EQ(totals[k], total) << "scale " << k;
    }
  }
};

TEST_F(AdmQpu, SumsPicturesOfAnySizeAndDepthAsTheDefinition) {
  const std::uint64_t seed = 20261126;
  Random random(seed);
  const std::array<std::vector<std::string>, 3> requests{
      {{"adm"},
       {"adm=adm_enhn_gain_limit=1.2:adm_norm_view_dist=4"},
       {"adm=adm_csf_mode=2:adm_enhn_gain_limit=1:adm_norm_view_dist=5"}}};
  const int pairs = device()->info().simulated ? 6 : 30;
  for (int i = 0; i < pairs; ++i) {
    const int bits = std::array{8, 10, 12, 16}[static_cast<std::size_t>(i / 4 % 4)];
    const int width = 33 + static_cast<int>(random.below(i < pairs / 2 ? 24 : 180));
    const int height = 33 + static_cast<int>(random.below(i < pairs / 2 ? 24 : 90));
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}x{}, {} bits", seed, i, width, height, bits));
    expect_scalar_sums(
        test::adm_pictures(luma_format(width, height, bits), test::kAdmContents[i % 4], random),
        requests[static_cast<std::size_t>(i % 3)]);
  }
}

// Shaders read vectors of four samples and mirror the samples after the last column and row. These
// sizes put the last column and row at every position of such a vector.
TEST_F(AdmQpu, MirrorsAtEveryWidthAndHeight) {
  Random random(20261127);
  const int last = device()->info().simulated ? 4 : 17;
  for (int i = 0; i < last; ++i) {
    SCOPED_TRACE(33 + i);
    const int bits = i % 2 == 0 ? 8 : 10;
    expect_scalar_sums(
        test::adm_pictures(luma_format(33 + i, 49 - i, bits), test::AdmContent::noise, random),
        {"adm"});
  }
}

// These samples are at the ends of the range, as checkerboards with the largest possible wavelets.
TEST_F(AdmQpu, HasRoomForTheLargestCoefficients) {
  Random random(20261128);
  for (const int bits : {8, 10, 12, 16}) {
    for (const std::uint32_t most : {1U, 2U, 8U}) {
      SCOPED_TRACE(fmt::format("{} bits, blocks of {}", bits, most));
      const PictureFormat format = luma_format(70, 66, bits);
      PicturePair pair{video::Picture(format), video::Picture(format)};
      const auto fill = [&]<class Sample>(Sample) {
        const auto last = static_cast<Sample>(format.pixel.max_value());
        for (video::Picture* const picture : {&pair.reference, &pair.distorted}) {
          const auto plane = picture->plane<Sample>(0);
          for (int y = 0; y < format.height; ++y) {
            for (int x = 0; x < format.width; ++x) {
              const bool same_as_left = x % static_cast<int>(most) != 0;
              plane.row(y)[x] = same_as_left           ? plane.row(y)[x - 1]
                                : random.below(2) == 0 ? last
                                                       : Sample{0};
            }
          }
        }
      };
      if (bits == 8) {
        fill(std::uint8_t{});
      } else {
        fill(std::uint16_t{});
      }
      expect_scalar_sums(pair, {"adm", "adm=adm_norm_view_dist=9.75:adm_enhn_gain_limit=2.7"});
    }
  }
}

/// Tests a pair of coefficients, a pair that is as nearly one degree off as integers allow, and the
/// neighbours of that pair.
std::array<std::int32_t, 4> a_degree_off(Random& random) {
  const double size = std::ldexp(1.0 + static_cast<double>(random.below(1U << 20)) * 0x1p-20,
                                 4 + static_cast<int>(random.below(26)));
  const double scale = std::ldexp(1.0 + static_cast<double>(random.below(1U << 20)) * 0x1p-21,
                                  static_cast<int>(random.below(4)) - 3);
  const double angle = static_cast<double>(random.below(1U << 30)) * 0x1p-30 * 2 * std::numbers::pi;
  const double degree =
      (random.below(2) == 0 ? 1 : -1) * std::acos(std::sqrt(double{metrics::kAdmCosSquared}));
  const auto near = [&](double value) {
    return static_cast<std::int32_t>(std::lround(value)) +
           static_cast<std::int32_t>(random.below(3)) - 1;
  };
  return {near(size * std::cos(angle)), near(size * std::sin(angle)),
          near(size * scale * std::cos(angle + degree)),
          near(size * scale * std::sin(angle + degree))};
}

TEST_F(AdmQpu, KnowsDirectionsNextToTheBound) {
  Random random(20261129);
  std::vector<std::array<std::int32_t, 4>> pairs(device()->info().simulated ? 2000 : 200000);
  std::ranges::generate(pairs, [&] { return a_degree_off(random); });
  constexpr std::int32_t kMax = 2103000000;
  for (const std::int32_t x : {0, 1, -1, kMax, -kMax}) {
    for (const std::int32_t y : {0, 1, kMax}) {
      for (const std::int32_t z : {0, 1, -1, kMax}) pairs.push_back({x, y, z, y});
    }
  }
  struct Push {
    std::uint32_t count;
  };
  const auto program = device()->program(qpu::test_shader("adm_direction"), {});
  const auto input = device()->create_buffer(pairs.size() * sizeof pairs[0]);
  const auto output = device()->create_buffer(pairs.size() * sizeof(std::uint32_t));
  std::memcpy(input->bytes().data(), pairs.data(), input->size());
  const auto list = device()->create_command_list();
  list->upload({.buffer = input.get()});
  const qpu::BufferRange bindings[] = {{.buffer = input.get()}, {.buffer = output.get()}};
  const auto count = static_cast<std::uint32_t>(pairs.size());
  list->dispatch(*program, bindings, Push{count}, {(count + 63) / 64, 1, 1});
  list->download({.buffer = output.get()});
  list->finish();
  device()->submit(*list).wait();
  std::size_t within = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [oh, ov, th, tv] = pairs[i];
    const bool expected = metrics::adm_same_direction(oh, ov, th, tv);
    within += expected ? 1 : 0;
    ASSERT_EQ(output->as<std::uint32_t>()[i], expected ? 1U : 0U)
        << oh << ", " << ov << " and " << th << ", " << tv;
  }
  EXPECT_GT(within, pairs.size() / 4);
  EXPECT_LT(within, pairs.size() * 3 / 4);
}

TEST_F(AdmQpu, RefusesStridesAndRangesThatDoNotHoldTheRows) {
  const qpu::Adm kernel(*device(), luma_format(101, 40, 8));
  const auto plane = device()->create_buffer(std::size_t{112} * 40);
  const auto list = device()->create_command_list();
  const qpu::BufferRange whole{.buffer = plane.get()};
  const qpu::BufferRange part{.buffer = plane.get(), .offset = 0, .size = 112 * 40 - 16};
  EXPECT_THROW(kernel.record_transform(*list, whole, 104, whole, 112), Error);
  EXPECT_THROW(kernel.record_transform(*list, whole, 112, whole, 96), Error);
  EXPECT_THROW(kernel.record_transform(*list, part, 112, whole, 112), Error);
  EXPECT_NO_THROW(kernel.record_transform(*list, whole, 112, whole, 112));
}

}  // namespace
}  // namespace sidecore::test_adm_qpu
