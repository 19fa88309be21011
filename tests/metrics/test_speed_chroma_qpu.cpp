// speed_chroma on the QPU compared with the scalar definition, on the default device under the
// validation layer and V3D's limits: reduced planes bit for bit, and scores from the scorer.
// ctest: long, v3dsim
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/host_scorer.h"
#include "metrics/random_scene.h"
#include "metrics/score_pair.h"
#include "metrics/speed_chroma.h"
#include "neon/metrics/feature_kernels.h"
#include "neon/metrics/speed_chroma.h"
#include "qpu/metrics/feature_work.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/metrics/speed_chroma.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_speed_chroma_qpu {
namespace {

using metrics::parse_feature_request;
using metrics::SpeedReducer;
using metrics::SpeedReduction;
using metrics::SpeedSize;
using video::Chroma;
using video::PictureFormat;

constexpr int kDepths[] = {8, 10, 12, 16};

/// Planes are stored as the luma of pictures, with random padding.
using Planes = std::vector<video::Picture>;

Planes make_planes(SpeedSize size, int bits, std::size_t count, Random& random) {
  Planes planes;
  planes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    planes.emplace_back(PictureFormat{size.width, size.height, {Chroma::c400, bits}});
    test::scene::fill_padding(planes.back(), random);
    test::scene::fill_noise(planes.back(), random);
  }
  return planes;
}

void reduce(const SpeedReduction& reduction, const video::Picture& plane,
            metrics::SpeedRowFilter filter, std::span<float> to) {
  SpeedReducer reducer(reduction, filter);
  const auto width = static_cast<std::size_t>(reduction.reduced().width);
  for (int y = 0; y < reduction.reduced().height; ++y) {
    float* const row = to.subspan(static_cast<std::size_t>(y) * width, width).data();
    if (reduction.bits() == 8) {
      reducer.reduce_row(plane.plane<std::uint8_t>(0), y, row);
    } else {
      reducer.reduce_row(plane.plane<std::uint16_t>(0), y, row);
    }
  }
}

std::size_t reduced_samples(const SpeedReduction& reduction) {
  return static_cast<std::size_t>(reduction.reduced().width) *
         static_cast<std::size_t>(reduction.reduced().height);
}

TEST(SpeedChromaReductionNeon, IsTheDefinition) {
  Random random(20261201);
  for (int i = 0; i < 24; ++i) {
    const SpeedSize size{static_cast<int>(16 + random.below(90)),
                         static_cast<int>(16 + random.below(60))};
    const double scale = i % 3 == 0 ? 1 : 1 + random.below(30) / 10.0;
    const SpeedReduction reduction(size, kDepths[i % 4], scale);
    const Planes planes = make_planes(size, reduction.bits(), 1, random);
    std::vector<float> scalar(reduced_samples(reduction));
    std::vector<float> neon(scalar.size());
    reduce(reduction, planes[0], metrics::filter_speed_rows, scalar);
    reduce(reduction, planes[0], neon::speed_chroma_sums().filter, neon);
    EXPECT_EQ(scalar, neon) << fmt::format("{}x{}, scale {}", size.width, size.height, scale);
  }
}

class SpeedChromaQpu : public test::QpuTest {
 protected:
  static std::vector<float> reduced(const SpeedReduction& reduction, const Planes& planes) {
    std::vector<std::unique_ptr<qpu::DevicePicture>> pictures;
    std::vector<qpu::BufferRange> ranges;
    const auto list = device()->create_command_list();
    for (const video::Picture& plane : planes) {
      pictures.push_back(std::make_unique<qpu::DevicePicture>(*device(), plane.format()));
      test::scene::copy_samples(plane, pictures.back()->picture());
      ranges.push_back(pictures.back()->plane(0));
      list->upload(ranges.back());
    }
    const std::size_t samples = planes.size() * reduced_samples(reduction);
    // Guard bytes follow the written bytes.
    const auto buffer = device()->create_buffer((samples + 64) * sizeof(float));
    std::ranges::fill(buffer->as<float>(), -1e9F);
    list->upload({.buffer = buffer.get()});
    const qpu::SpeedChroma kernel(*device(), reduction);
    kernel.record(*list, ranges, pictures[0]->stride(0), {.buffer = buffer.get()});
    list->download({.buffer = buffer.get()});
    list->finish();
    EXPECT_EQ(list->dispatch_count(), 1U);
    device()->submit(*list).wait();
    const std::span<float> all = buffer->as<float>();
    for (const float guard : all.subspan(samples)) EXPECT_EQ(guard, -1e9F);
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(samples)};
  }

  static void expect_definition(const SpeedReduction& reduction, const Planes& planes) {
    const std::size_t samples = reduced_samples(reduction);
    std::vector<float> expected(planes.size() * samples);
    for (std::size_t i = 0; i < planes.size(); ++i) {
      reduce(reduction, planes[i], metrics::filter_speed_rows,
             std::span(expected).subspan(i * samples, samples));
    }
    const std::vector<float> found = reduced(reduction, planes);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(found[i]), std::bit_cast<std::uint32_t>(expected[i]))
          << fmt::format("plane {}, sample {}: {} is not {}", i / samples, i % samples, found[i],
                         expected[i]);
    }
  }
};

TEST_F(SpeedChromaQpu, ReducesPlanesAsTheDefinitionDoes) {
  Random random(20261202);
  for (int i = 0; i < 32; ++i) {
    const SpeedSize size{static_cast<int>(16 + random.below(400)),
                         static_cast<int>(16 + random.below(120))};
    const SpeedReduction reduction(size, kDepths[i % 4], 1);
    SCOPED_TRACE(
        fmt::format("case {}: {}x{}, {} bits", i, size.width, size.height, reduction.bits()));
    expect_definition(reduction, make_planes(size, reduction.bits(),
                                             1 + static_cast<std::size_t>(i) / 4 % 4, random));
  }
}

/// Tests the models' scales, the smallest and the largest scale, and ratios of every kind.
TEST_F(SpeedChromaQpu, ScalesPlanesAsTheDefinitionDoes) {
  Random random(20261203);
  const std::array scales{0.6, 0.5, 0.1, 4.0, 1.5, 2.0, 0.999, 1.001, 0.33, 3.7};
  for (int i = 0; i < 40; ++i) {
    const double scale = scales[static_cast<std::size_t>(i) % scales.size()];
    const auto least = static_cast<std::uint32_t>(16 / std::min(scale, 1.0) + 1);
    const SpeedSize size{static_cast<int>(least + random.below(70)),
                         static_cast<int>(least + random.below(40))};
    const SpeedReduction reduction(size, kDepths[i / 10], scale);
    SCOPED_TRACE(
        fmt::format("{}x{} by {}, {} bits", size.width, size.height, scale, reduction.bits()));
    expect_definition(reduction, make_planes(size, reduction.bits(), 2, random));
  }
}

/// These values are next to 0, where flushing denormals or fusing operations would change bits:
/// planes of 128 with single samples one step off, whose weights in other samples are as small as
/// possible.
TEST_F(SpeedChromaQpu, KeepsTheLeastValues) {
  Random random(20261204);
  for (const int bits : kDepths) {
    for (const double scale : {1.0, 0.6, 0.999, 3.7}) {
      const SpeedSize size{180, 50};
      Planes planes = make_planes(size, bits, 2, random);
      const std::uint32_t middle = 1U << (bits - 1);
      for (video::Picture& plane : planes) {
        test::scene::for_each_sample(plane, [&](int, int, std::uint32_t) {
          return random.below(50) == 0 ? middle - 1 + 2 * random.below(2) : middle;
        });
      }
      SCOPED_TRACE(fmt::format("{} bits, scale {}", bits, scale));
      expect_definition(SpeedReduction(size, bits, scale), planes);
    }
  }
}

TEST_F(SpeedChromaQpu, HoldsTheLargestSamples) {
  Random random(20261205);
  for (const int bits : kDepths) {
    for (const double scale : {1.0, 0.5}) {
      const SpeedSize size{150, 64};
      Planes planes = make_planes(size, bits, 2, random);
      const auto max = (1U << static_cast<unsigned>(bits)) - 1;
      test::scene::fill_flat(planes[0], max);
      test::scene::for_each_sample(
          planes[1], [&](int x, int y, std::uint32_t) { return (x ^ y) & 1 ? max : 0U; });
      SCOPED_TRACE(fmt::format("{} bits, scale {}", bits, scale));
      expect_definition(SpeedReduction(size, bits, scale), planes);
    }
  }
}

/// Tests that each of the filter's 81 samples counts, in each of its positions.
TEST_F(SpeedChromaQpu, SeesEverySampleOfTheFilter) {
  Random random(20261206);
  const SpeedSize size{48, 48};
  const SpeedReduction reduction(size, 8, 1);
  Planes planes = make_planes(size, 8, 1, random);
  const std::vector<float> before = reduced(reduction, planes);
  for (int y = 12; y <= 20; ++y) {
    for (int x = 12; x <= 20; ++x) {
      std::uint8_t& sample = planes[0].plane<std::uint8_t>(0).row(y)[x];
      const std::uint8_t old = sample;
      sample = static_cast<std::uint8_t>(old ^ 0x40U);
      const std::vector<float> after = reduced(reduction, planes);
      sample = old;
      for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_EQ(after[i] != before[i], i == 4) << x << " " << y;
      }
    }
  }
}

TEST_F(SpeedChromaQpu, RefusesWhatItDoesNotHold) {
  EXPECT_THROW(SpeedReduction({64, 64}, 9, 1), Error);
  EXPECT_THROW(SpeedReduction({64, 15}, 8, 1), Error);
  EXPECT_THROW(SpeedReduction({64, 64}, 8, 0.2), Error);
  const SpeedReduction reduction({100, 20}, 8, 1);
  const qpu::SpeedChroma kernel(*device(), reduction);
  const auto plane = device()->create_buffer(std::size_t{112} * 20);
  const auto sums = device()->create_buffer(256);
  const auto list = device()->create_command_list();
  const qpu::BufferRange whole{.buffer = plane.get()};
  const qpu::BufferRange part{.buffer = plane.get(), .offset = 0, .size = 112 * 20 - 16};
  const qpu::BufferRange both[] = {whole, part};
  EXPECT_THROW(kernel.record(*list, {&whole, 1}, 104, {.buffer = sums.get()}), Error);
  EXPECT_THROW(kernel.record(*list, both, 112, {.buffer = sums.get()}), Error);
  EXPECT_NO_THROW(kernel.record(*list, {&whole, 1}, 112, {.buffer = sums.get()}));
}

/// A pair whose chroma has information: its covariance matrices are not singular.
test::Scene telling_scene(const PictureFormat& format, Random& random) {
  test::Scene scene{format, "noise", video::Picture(format), video::Picture(format)};
  test::scene::fill_noise(scene.reference, random);
  test::scene::copy_samples(scene.reference, scene.distorted);
  const auto max = static_cast<std::uint32_t>(format.pixel.max_value());
  test::scene::for_each_sample(scene.distorted, [&](int, int, std::uint32_t old) {
    return old / 2 + max / 4 + random.below(max / 16);
  });
  return scene;
}

/// Several requests are scored at once, each with planes of its own size, and a feature that only
/// the device computes.
TEST_F(SpeedChromaQpu, ScoresAreThoseOfTheDefinition) {
  const std::vector<metrics::FeatureRequest> requests{
      parse_feature_request("speed_chroma"),
      parse_feature_request("speed_chroma=speed_prescale=1.25:speed_prescale_method=bilinear:"
                            "speed_weight_var_mode=5"),
      parse_feature_request("float_psnr"),
      parse_feature_request("speed_chroma=speed_sigma_nn=1.5:speed_nn_floor=0.3:"
                            "speed_weight_var_mode=3:speed_max_val=2")};
  Random random(20261207);
  const std::array chromas{Chroma::c420, Chroma::c422, Chroma::c444, Chroma::c420};
  for (std::size_t i = 0; i < chromas.size(); ++i) {
    const bool halved = chromas[i] != Chroma::c444;
    const PictureFormat format{
        halved ? 967 : 484, chromas[i] == Chroma::c420 ? 963 : 481, {chromas[i], kDepths[i]}};
    const test::Scene scene = telling_scene(format, random);
    SCOPED_TRACE(to_string(format));
    const auto host = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    const auto qpu = make_picture_scorer(*device(), format, requests, neon::kernels);
    const std::vector<double> expected = test::score(*host, scene);
    test::expect_same_scores(requests, expected, test::score(*qpu, scene));
    for (const std::size_t u : {0U, 3U, 7U}) EXPECT_GT(expected[u], 0) << u;
    // The count is 0, because the host's ordinary part of a score does not count as recomputed.
    EXPECT_EQ(qpu->host_recomputations(), 0U);
    EXPECT_EQ(qpu->host_recomputed_values(), 0U);
  }
}

/// The host's part of one pair runs while others are in flight; scores must stay with their pairs.
TEST_F(SpeedChromaQpu, PairsMayBeCollectedInAnyOrder) {
  const PictureFormat format{484, 481, {Chroma::c444, 8}};
  const auto request = parse_feature_request("speed_chroma");
  Random random(20261208);
  std::vector<test::Scene> scenes;
  scenes.reserve(3);
  for (int i = 0; i < 3; ++i) scenes.push_back(telling_scene(format, random));
  const auto scorer =
      make_picture_scorer(*device(), format, {&request, 1}, metrics::scalar_kernels);
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    test::scene::copy_samples(scenes[i].reference, scorer->reference(i));
    test::scene::copy_samples(scenes[i].distorted, scorer->distorted(i));
    scorer->submit(i);
  }
  std::vector<double> first;
  for (const std::size_t slot : {1U, 0U, 2U}) {
    EXPECT_FALSE(scorer->recomputes(slot));
    const std::span<const double> found = scorer->collect(slot);
    const std::vector<double> expected = test::score_pair(
        metrics::scalar_kernels, request, scenes[slot].reference, scenes[slot].distorted);
    EXPECT_TRUE(std::ranges::equal(found, expected)) << slot;
    EXPECT_NE(expected, first);
    first = expected;
  }
}

}  // namespace
}  // namespace sidecore::test_speed_chroma_qpu
