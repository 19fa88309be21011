// The QPU implementation of SSIM compared with the scalar definition, on the default device under
// the validation layer and V3D's limits.
// ctest: long, v3dsim
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/decimation.h"
#include "metrics/host_scorer.h"
#include "metrics/score_pair.h"
#include "metrics/ssim_kernel.h"
#include "metrics/ssim_scene.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/feature_work.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/metrics/ssim.h"
#include "qpu/qpu_test_device.h"

namespace sidecore::test_ssim_qpu {
namespace {

using metrics::FloatPlane;
using metrics::parse_feature_request;
using qpu::SsimAddition;
using qpu::SsimPlane;

std::vector<std::uint64_t> bits_of(std::span<const double> scores) {
  std::vector<std::uint64_t> bits(scores.size());
  std::ranges::transform(scores, bits.begin(),
                         [](double score) { return std::bit_cast<std::uint64_t>(score); });
  return bits;
}

/// Luma of a picture in device-visible memory.
struct DeviceLuma {
  DeviceLuma(qpu::Device& device, const video::Picture& picture)
      : buffer(device.create_buffer(picture.layout().planes[0].bytes)) {
    const video::PictureLayout::Plane& plane = picture.layout().planes[0];
    std::memcpy(buffer->bytes().data(), picture.bytes().data() + plane.offset, plane.bytes);
    const video::PictureFormat& format = picture.format();
    view = {{buffer.get(), 0, 0}, plane.stride, format.width, format.height, format.pixel.bits};
  }

  std::shared_ptr<qpu::Buffer> buffer;
  SsimPlane view;
};

/// A plane of floats in device-visible memory.
struct DeviceFloats {
  DeviceFloats(qpu::Device& device, int width, int height)
      : stride((static_cast<std::size_t>(width) + 3) / 4 * 4),
        buffer(device.create_buffer(stride * static_cast<std::size_t>(height) * sizeof(float))) {
    view = {{buffer.get(), 0, 0}, stride * sizeof(float), width, height, 0};
  }

  std::size_t stride;
  std::shared_ptr<qpu::Buffer> buffer;
  SsimPlane view;
};

class SsimQpu : public test::QpuTest {
 protected:
  template <class Record>
  static void run(const Record& record, std::initializer_list<qpu::Buffer*> uploads,
                  qpu::Buffer& result) {
    const auto list = device()->create_command_list();
    for (qpu::Buffer* const buffer : uploads) list->upload({.buffer = buffer});
    record(*list);
    list->download({.buffer = &result});
    list->finish();
    device()->submit(*list).wait();
  }

  static qpu::shader::SsimSums sums(const test::SsimScene& scene, SsimAddition addition) {
    const video::PictureFormat& format = scene.reference.format();
    const qpu::Ssim ssim(*device(), format.width, format.height, addition);
    const DeviceLuma a(*device(), scene.reference);
    const DeviceLuma b(*device(), scene.distorted);
    const auto totals = device()->create_buffer(2 * sizeof(qpu::shader::SsimSums));
    run(
        [&](qpu::CommandList& list) {
          ssim.measure(list, a.view, b.view, {.buffer = totals.get()}, 1, {true, true, true, true});
        },
        {a.buffer.get(), b.buffer.get()}, *totals);
    return totals->as<qpu::shader::SsimSums>()[1];
  }

  static void expect_scalar_scores(const std::vector<std::string>& requests,
                                   const test::SsimScene& scene) {
    std::vector<metrics::FeatureRequest> parsed(requests.size());
    std::ranges::transform(requests, parsed.begin(), parse_feature_request);
    const auto scorer = qpu::make_picture_scorer(*device(), scene.reference.format(), parsed,
                                                 metrics::scalar_kernels);
    std::ranges::copy(scene.reference.bytes(), scorer->reference(0).bytes().begin());
    std::ranges::copy(scene.distorted.bytes(), scorer->distorted(0).bytes().begin());
    scorer->submit(0);
    const auto scores = scorer->collect(0);
    std::vector<double> expected;
    for (const metrics::FeatureRequest& request : parsed) {
      const auto part =
          test::score_pair(metrics::scalar_kernels, request, scene.reference, scene.distorted);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_EQ(bits_of(scores), bits_of(expected)) << scene.description;
  }

  static void expect_scalar_plane(const test::SsimScene& scene, int factor, SsimAddition addition) {
    const video::PictureFormat& format = scene.reference.format();
    const int step = factor == qpu::Ssim::kHalving ? 2 : factor;
    const int width = metrics::decimated_size(format.width, step);
    const int height = metrics::decimated_size(format.height, step);
    FloatPlane luma(format.width, format.height);
    FloatPlane expected(width, height);
    metrics::luma_to_float(scene.reference, luma.view());
    if (factor == qpu::Ssim::kHalving) {
      metrics::halve(luma.view(), expected.view());
    } else {
      metrics::decimate_box(luma.view(), factor, expected.view());
    }

    const qpu::Ssim ssim(*device(), format.width, format.height, addition);
    const DeviceLuma from(*device(), scene.reference);
    const DeviceFloats to(*device(), width, height);
    run([&](qpu::CommandList& list) { ssim.decimate(list, from.view, factor, to.view); },
        {from.buffer.get()}, *to.buffer);
    const auto samples = to.buffer->as<float>();
    for (int y = 0; y < height; ++y) {
      const float* const row = samples.data() + static_cast<std::size_t>(y) * to.stride;
      ASSERT_TRUE(std::equal(row, row + width, expected.view().row(y)))
          << scene.description << ", factor " << factor << ", row " << y;
    }
  }
};

constexpr int kDepths[] = {8, 10, 12, 16};

TEST_F(SsimQpu, gives_the_scalar_scores_at_any_size_and_scale) {
  const std::uint64_t seed = 21;
  Random random(seed);
  for (const int bits : kDepths) {
    for (int i = 0; i < 12; ++i) {
      SCOPED_TRACE(fmt::format("seed {}, {} bits, number {}", seed, bits, i));
      const test::SsimScene scene = test::random_ssim_scene(random, bits, 11, 150);
      expect_scalar_scores(
          {fmt::format("float_ssim=enable_lcs=true:scale={}", scene.random_scale(random))}, scene);
    }
  }
}

TEST_F(SsimQpu, gives_the_scalar_scores_on_every_level) {
  const std::uint64_t seed = 22;
  Random random(seed);
  for (const int bits : kDepths) {
    if (device()->info().simulated && bits != 8 && bits != 16) continue;
    SCOPED_TRACE(fmt::format("seed {}, {} bits", seed, bits));
    const test::SsimScene scene = test::random_ssim_scene(random, bits, 176, 184);
    expect_scalar_scores({"float_ms_ssim=enable_lcs=true"}, scene);
  }
}

TEST_F(SsimQpu, scores_requests_of_both_features_together) {
  Random random(27);
  const test::SsimScene scene = test::random_ssim_scene(random, 10, {177, 201});
  expect_scalar_scores({"float_ssim=scale=1", "float_ms_ssim"}, scene);
}

/// Returns the device's sums for a picture in which every term of every sum is `term`.
qpu::shader::SsimSums sums_of_terms(double term, int windows, int fraction_bits) {
  const auto sum =
      static_cast<std::uint64_t>(std::llround(std::ldexp(term, fraction_bits)) * windows);
  const auto low = static_cast<std::uint32_t>(sum & 0xffffffffU);
  const auto high = static_cast<std::uint32_t>(sum >> 32U);
  return {low, high, low, high, low, high, low, high, static_cast<float>(term)};
}

/// The family's kernel, which records the numbers of the values that recompute_exactly() receives.
class WatchedKernel final : public metrics::PairKernel {
 public:
  explicit WatchedKernel(std::unique_ptr<metrics::PairKernel> kernel)
      : kernel_(std::move(kernel)) {}

  void score(const video::Picture& /*reference*/, const video::Picture& /*distorted*/,
             ThreadTeam& /*rows*/, std::span<double> /*scores*/) override {
    ADD_FAILURE() << "all scores were computed, not only the undecided values";
  }
  void recompute_exactly(const video::Picture& reference, const video::Picture& distorted,
                         ThreadTeam& rows, std::span<const std::size_t> numbers,
                         std::span<double> values) override {
    asked.assign(numbers.begin(), numbers.end());
    kernel_->recompute_exactly(reference, distorted, rows, numbers, values);
  }

  std::vector<std::size_t> asked;

 private:
  std::unique_ptr<metrics::PairKernel> kernel_;
};

TEST_F(SsimQpu, leaves_to_the_host_what_the_sums_leave_open_and_no_more) {
  Random random(28);
  const test::SsimScene scene = test::random_ssim_scene(random, 8, {30, 30});
  const auto request = parse_feature_request("float_ssim=enable_lcs=true:scale=1");
  const qpu::FamilyWork family = qpu::ssim_work();
  const auto work = family.make(*device(), scene.reference.format(), {&request, 1});
  constexpr int kWindows = 20 * 20;
  constexpr int kFractionBits = 44;
  const auto expected =
      test::score_pair(metrics::scalar_kernels, request, scene.reference, scene.distorted);
  std::vector<double> scores(4);
  const auto score = [&](const qpu::shader::SsimSums& sums) {
    return work->score(std::as_bytes(std::span(&sums, 1)), scores);
  };
  const auto values_recomputed = [&](const qpu::shader::SsimSums& sums) {
    WatchedKernel host(neon::kernels(*family.family)(scene.reference.format(), {&request, 1}, 1));
    const auto& recomputation = dynamic_cast<const qpu::HostRecomputation&>(*work);
    const std::uint64_t count = recomputation.recompute(
        std::as_bytes(std::span(&sums, 1)), {}, scene.reference, scene.distorted, host, scores);
    EXPECT_EQ(count, host.asked.size());
    return host.asked;
  };
  const auto value = [](metrics::SsimPart part) {
    return metrics::ssim_value(metrics::place_of_scale(1), static_cast<std::size_t>(part));
  };

  qpu::shader::SsimSums sums = sums_of_terms(0.75, kWindows, kFractionBits);
  EXPECT_TRUE(score(sums));
  EXPECT_EQ(scores, std::vector(4, 0.75));
  // These sums give ties: means half way between two binary32 numbers.
  const qpu::shader::SsimSums ties = sums_of_terms(0.75 + 0x1p-25, kWindows, kFractionBits);
  sums.contrast_low = ties.contrast_low;
  sums.contrast_high = ties.contrast_high;
  EXPECT_FALSE(score(sums));
  EXPECT_EQ(values_recomputed(sums), std::vector{value(metrics::SsimPart::contrast)});
  EXPECT_EQ(bits_of(scores), bits_of(std::vector{0.75, 0.75, expected[2], 0.75}));
  EXPECT_FALSE(score(ties));
  EXPECT_EQ(values_recomputed(ties).size(), 4U);
  EXPECT_EQ(bits_of(scores), bits_of(expected));
  // These terms are larger than the device can add without clipping.
  sums = sums_of_terms(0.75, kWindows, kFractionBits);
  sums.largest_structure = 2.5;
  EXPECT_FALSE(score(sums));
  EXPECT_EQ(values_recomputed(sums),
            (std::vector{value(metrics::SsimPart::structure), value(metrics::SsimPart::ssim)}));
  EXPECT_EQ(bits_of(scores), bits_of(std::vector{expected[0], 0.75, 0.75, expected[3]}));
}

/// Makes flat pictures. In every window the luminance, and therefore the product, lies within 2^-43
/// of the middle between two binary32 numbers, which is closer than a device's sums can decide.
test::SsimScene undecided_scene(int width, int height) {
  const video::PictureFormat format{width, height, {video::Chroma::c400, 12}};
  test::SsimScene scene{video::Picture(format), video::Picture(format), "flat and undecided"};
  const auto fill = [&](video::Picture& picture, std::uint16_t sample) {
    const auto plane = picture.plane<std::uint16_t>(0);
    for (int y = 0; y < plane.height; ++y) std::fill_n(plane.row(y), plane.width, sample);
  };
  fill(scene.reference, 3111);
  fill(scene.distorted, 2265);
  return scene;
}

/// NEON's kernel, which blocks until the test releases it.
class GatedKernel final : public metrics::PairKernel {
 public:
  static metrics::KernelMaker make(const metrics::FeatureFamily& /*ssim*/) {
    return [](const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
              std::size_t threads) -> std::unique_ptr<metrics::PairKernel> {
      return std::make_unique<GatedKernel>(
          neon::kernels(*qpu::ssim_work().family)(format, requests, threads));
    };
  }
  static std::counting_semaphore<2>& gate() {
    static std::counting_semaphore<2> gate(0);
    return gate;
  }

  explicit GatedKernel(std::unique_ptr<metrics::PairKernel> kernel) : kernel_(std::move(kernel)) {}
  void score(const video::Picture& /*reference*/, const video::Picture& /*distorted*/,
             ThreadTeam& /*rows*/, std::span<double> /*scores*/) override {
    ADD_FAILURE() << "all scores were computed, not only the undecided values";
  }
  void recompute_exactly(const video::Picture& reference, const video::Picture& distorted,
                         ThreadTeam& rows, std::span<const std::size_t> numbers,
                         std::span<double> values) override {
    gate().acquire();
    kernel_->recompute_exactly(reference, distorted, rows, numbers, values);
  }

 private:
  std::unique_ptr<metrics::PairKernel> kernel_;
};

TEST_F(SsimQpu, recomputes_an_undecided_picture_on_the_host_while_others_are_computed) {
  Random random(29);
  const auto request = parse_feature_request("float_ssim=enable_lcs=true:scale=1");
  // The pictures have fewer windows than the number from which the device's serial sums round.
  const test::SsimScene undecided = undecided_scene(20, 19);
  const test::SsimScene decided = test::random_ssim_scene(random, 12, {20, 19});
  const auto scorer = qpu::make_picture_scorer(*device(), undecided.reference.format(),
                                               {&request, 1}, GatedKernel::make);
  const auto submit = [&](std::size_t slot, const test::SsimScene& scene) {
    std::ranges::copy(scene.reference.bytes(), scorer->reference(slot).bytes().begin());
    std::ranges::copy(scene.distorted.bytes(), scorer->distorted(slot).bytes().begin());
    scorer->submit(slot);
  };
  const auto expect_scalar = [&](std::size_t slot, const test::SsimScene& scene) {
    EXPECT_EQ(bits_of(scorer->collect(slot)),
              bits_of(test::score_pair(metrics::scalar_kernels, request, scene.reference,
                                       scene.distorted)))
        << "slot " << slot;
  };
  submit(0, undecided);
  submit(1, decided);
  EXPECT_TRUE(scorer->recomputes(0));
  EXPECT_FALSE(scorer->recomputes(1));
  expect_scalar(1, decided);
  submit(2, decided);
  submit(1, undecided);
  EXPECT_TRUE(scorer->recomputes(1));
  expect_scalar(2, decided);
  EXPECT_TRUE(scorer->recomputes(0));
  EXPECT_EQ(scorer->host_recomputations(), 0U);
  GatedKernel::gate().release(2);
  expect_scalar(1, undecided);
  expect_scalar(0, undecided);
  EXPECT_FALSE(scorer->recomputes(0));
  EXPECT_EQ(scorer->host_recomputations(), 2U);
  // Four values are recomputed: luminance and product of each plane pair are undecided; contrast
  // and structure of flat pictures are 1.
  EXPECT_EQ(scorer->host_recomputed_values(), 4U);
}

// Recomputes all means of all planes, as if the sums had left them undecided.
TEST_F(SsimQpu, decides_means_on_the_device) {
  Random random(31);
  const std::vector<metrics::FeatureRequest> requests = {
      parse_feature_request("float_ms_ssim=enable_lcs=true"),
      parse_feature_request("float_ssim=enable_lcs=true:scale=3")};
  for (const int bits : {8, 10}) {
    // A simulated GPU takes a quarter of a minute for each depth.
    if (device()->info().simulated && bits != 10) continue;
    const int width = 301;
    const int height = 287;
    const test::SsimScene scene = test::random_ssim_scene(random, bits, {width, height});
    SCOPED_TRACE(scene.description);
    const video::PictureFormat& format = scene.reference.format();
    const auto work = qpu::ssim_work().make(*device(), format, requests);
    qpu::DevicePicture reference(*device(), format);
    qpu::DevicePicture distorted(*device(), format);
    std::ranges::copy(scene.reference.bytes(), reference.picture().bytes().begin());
    std::ranges::copy(scene.distorted.bytes(), distorted.picture().bytes().begin());

    std::vector<qpu::shader::SsimSums> sums;
    for (const int scale : {1, 3, 2, 4, 8, 16}) {  // the scales, then the levels
      const auto windows = [&](int side) {
        int size = side;
        if (scale == 3) return metrics::decimated_size(side, 3) - 10;
        for (int halved = 1; halved < scale; halved *= 2) size = metrics::decimated_size(size, 2);
        return size - 10;
      };
      sums.push_back(sums_of_terms(0.75 + 0x1p-25, windows(width) * windows(height), 44));
    }
    const auto results = std::as_bytes(std::span(sums));
    std::vector<double> scores(16 + 4);
    ASSERT_FALSE(work->score(results, scores));
    auto& second_pass = dynamic_cast<qpu::SecondPass&>(*work);
    const auto further = device()->create_buffer(second_pass.further_bytes(results));
    const auto list = device()->create_command_list();
    list->upload(reference.plane(0));
    list->upload(distorted.plane(0));
    second_pass.record_further(*list, reference, distorted, results, {.buffer = further.get()});
    list->download({.buffer = further.get()});
    list->finish();
    device()->submit(*list).wait();
    std::vector<double> expected;
    for (const metrics::FeatureRequest& request : requests) {
      const auto part =
          test::score_pair(metrics::scalar_kernels, request, scene.reference, scene.distorted);
      expected.insert(expected.end(), part.begin(), part.end());
    }
    EXPECT_TRUE(second_pass.score_again(results, further->bytes(), scores));
    EXPECT_EQ(bits_of(scores), bits_of(expected));
  }
}

/// Returns the scalar definition's sums over all windows, one term after the other.
std::array<double, 4> sums_by_definition(const test::SsimScene& scene) {
  const video::PictureFormat& format = scene.reference.format();
  FloatPlane a(format.width, format.height);
  FloatPlane b(format.width, format.height);
  metrics::luma_to_float(scene.reference, a.view());
  metrics::luma_to_float(scene.distorted, b.view());
  metrics::Ssim ssim(format.width, format.height);
  (void)ssim(a.view(), b.view());
  std::array<double, 4> sums{};
  for (int y = 0; y + metrics::kSsimWindow <= format.height; ++y) {
    for (int x = 0; x + metrics::kSsimWindow <= format.width; ++x) {
      const metrics::WindowSimilarity one = metrics::window_similarity(ssim.moments(x, y));
      sums[0] += one.luminance;
      sums[1] += one.contrast;
      sums[2] += one.structure;
      sums[3] += one.ssim;
    }
  }
  return sums;
}

TEST_F(SsimQpu, serial_sums_are_those_of_the_definition_to_within_their_bound) {
  Random random(30);
  for (const int bits : kDepths) {
    // A simulated GPU takes a quarter of a minute for each depth.
    if (device()->info().simulated && bits != 8 && bits != 16) continue;
    const test::SsimScene scene = test::random_ssim_scene(random, bits, {420, 330});
    const std::array<double, 4> expected = sums_by_definition(scene);
    const video::PictureFormat& format = scene.reference.format();
    const qpu::Ssim ssim(*device(), format.width, format.height);
    const DeviceLuma a(*device(), scene.reference);
    const DeviceLuma b(*device(), scene.distorted);
    const metrics::SimilaritySums bounded =
        qpu::Ssim::sums_of(sums(scene, SsimAddition::certified), format.width, format.height);
    const auto largest = metrics::largest_similarities(bounded.largest_structure);
    const auto runs = device()->create_buffer(qpu::Ssim::run_count(format.width, format.height) *
                                              sizeof(qpu::shader::SsimRun));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto part = static_cast<metrics::SsimPart>(i);
      if (largest[i] > 2) continue;
      run(
          [&](qpu::CommandList& list) {
            ssim.measure_serially(list, a.view, b.view, {.buffer = runs.get()}, part);
          },
          {a.buffer.get(), b.buffer.get()}, *runs);
      const metrics::BoundedSum serial = qpu::Ssim::serial_sum(
          runs->as<qpu::shader::SsimRun>(), format.width, format.height, part, largest[i]);
      EXPECT_NEAR(serial.value, expected[i], serial.error) << scene.description << ", part " << i;
      const auto windows = static_cast<double>(bounded.windows);
      EXPECT_LT(serial.error / windows, i == 3 ? 0x1p-38 : 0x1p-41) << scene.description;
    }
  }
}

/// Returns true if the mean of the scene's structures lies half way between two binary32 numbers.
bool has_tie_of_structure(const test::SsimScene& scene) {
  const video::PictureFormat& format = scene.reference.format();
  const int windows =
      (format.width - metrics::kSsimWindow + 1) * (format.height - metrics::kSsimWindow + 1);
  const double mean = sums_by_definition(scene)[2] / windows;
  const double in_ulps = std::ldexp(std::abs(mean), 23 - std::ilogb(mean));
  return in_ulps - std::floor(in_ulps) == 0.5;
}

// The mean of n binary32 numbers near 1 is a tie about once in n pictures. No error bound decides a
// tie; the knowledge that no addition was rounded does.
TEST_F(SsimQpu, decides_ties_of_structure_on_the_device) {
  const std::uint64_t seed = 33;
  Random random(seed);
  const auto request = parse_feature_request("float_ssim=enable_lcs=true:scale=1");
  int ties = 0;
  for (int i = 0; i < 4000 && ties < 4; ++i) {
    const test::SsimScene scene = test::random_ssim_scene(random, 8, {16, 14});
    if (!has_tie_of_structure(scene)) continue;
    SCOPED_TRACE(fmt::format("seed {}, number {}, {}", seed, i, scene.description));
    ++ties;
    const auto scorer = qpu::make_picture_scorer(*device(), scene.reference.format(), {&request, 1},
                                                 metrics::scalar_kernels);
    std::ranges::copy(scene.reference.bytes(), scorer->reference(0).bytes().begin());
    std::ranges::copy(scene.distorted.bytes(), scorer->distorted(0).bytes().begin());
    scorer->submit(0);
    EXPECT_EQ(bits_of(scorer->collect(0)),
              bits_of(test::score_pair(metrics::scalar_kernels, request, scene.reference,
                                       scene.distorted)));
    EXPECT_EQ(scorer->host_recomputations(), 0U);
  }
  EXPECT_EQ(ties, 4);
}

// These pictures have one window, so that no other window hides its lowest bits. Its planes'
// covariance is close to minus the stabiliser.
TEST_F(SsimQpu, gives_the_scalar_structure_next_to_zero) {
  const std::uint64_t seed = 32;
  Random random(seed);
  const video::PictureFormat format{
      metrics::kSsimWindow, metrics::kSsimWindow, {video::Chroma::c400, 16}};
  test::SsimScene scene{video::Picture(format), video::Picture(format), ""};
  const auto a = scene.reference.plane<std::uint16_t>(0);
  const auto b = scene.distorted.plane<std::uint16_t>(0);
  std::array<std::uint32_t, metrics::kSsimWindow * metrics::kSsimWindow> samples{};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = random.below(4096);
    a.row(static_cast<int>(i) / a.width)[static_cast<int>(i) % a.width] =
        static_cast<std::uint16_t>(samples[i]);
  }
  const auto structure = [&](double contrast) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      b.row(static_cast<int>(i) / b.width)[static_cast<int>(i) % b.width] =
          static_cast<std::uint16_t>(std::lround((4096 - samples[i]) * contrast));
    }
    return sums_by_definition(scene)[2];
  };
  double positive = 0;
  double negative = 4;
  for (int i = 0; i < 18; ++i) {
    const double middle = (positive + negative) / 2;
    (structure(middle) > 0 ? positive : negative) = middle;
  }
  const int scenes = device()->info().simulated ? 2 : 12;
  int found = 0;
  for (int i = 0; i < 20000 && found < scenes; ++i) {
    (void)structure(negative);
    for (int change = 0; change < 6; ++change) {
      std::uint16_t& sample = b.row(
          static_cast<int>(random.below(metrics::kSsimWindow)))[random.below(metrics::kSsimWindow)];
      sample = static_cast<std::uint16_t>(sample + random.below(5));
    }
    const double value = sums_by_definition(scene)[2];
    if (value >= 0 || value < -0x1p-18) continue;
    ++found;
    scene.description = fmt::format("seed {}, number {}, structure {}", seed, i, value);
    expect_scalar_scores({"float_ssim=enable_lcs=true:scale=1"}, scene);
  }
  EXPECT_EQ(found, scenes);
}

// These pictures have more rows than a band and more columns than a workgroup.
TEST_F(SsimQpu, gives_the_scalar_scores_of_pictures_of_several_bands) {
  Random random(23);
  const test::SsimScene tall = test::random_ssim_scene(random, 8, {70, 700});
  expect_scalar_scores({"float_ssim=enable_lcs=true:scale=1"}, tall);
}

TEST_F(SsimQpu, decimates_as_the_definition) {
  Random random(24);
  for (const int bits : kDepths) {
    for (int factor = 2; factor <= 10; ++factor) {
      expect_scalar_plane(test::random_ssim_scene(random, bits, 20, 90), factor,
                          SsimAddition::certified);
    }
    expect_scalar_plane(test::random_ssim_scene(random, bits, 20, 90), qpu::Ssim::kHalving,
                        SsimAddition::certified);
  }
}

// The serial sum must give the same mean as the fast sum, because it replaces an undecided mean.
TEST_F(SsimQpu, adds_serially_to_the_same_samples_and_sums) {
  Random random(25);
  for (const int bits : kDepths) {
    const test::SsimScene scene = test::random_ssim_scene(random, bits, 30, 60);
    expect_scalar_plane(scene, 3, SsimAddition::always_serial);
    expect_scalar_plane(scene, qpu::Ssim::kHalving, SsimAddition::always_serial);
    const qpu::shader::SsimSums serial = sums(scene, SsimAddition::always_serial);
    const qpu::shader::SsimSums certified = sums(scene, SsimAddition::certified);
    using Words = std::array<std::uint32_t, sizeof serial / sizeof(std::uint32_t)>;
    EXPECT_EQ(std::bit_cast<Words>(serial), std::bit_cast<Words>(certified)) << scene.description;
  }
}

TEST_F(SsimQpu, sums_are_those_of_the_definition_to_within_their_bound) {
  Random random(26);
  for (const int bits : kDepths) {
    const test::SsimScene scene = test::random_ssim_scene(random, bits, 40, 120);
    const video::PictureFormat& format = scene.reference.format();
    FloatPlane a(format.width, format.height);
    FloatPlane b(format.width, format.height);
    metrics::luma_to_float(scene.reference, a.view());
    metrics::luma_to_float(scene.distorted, b.view());
    const metrics::SsimMeans means = metrics::Ssim(format.width, format.height)(a.view(), b.view());
    const metrics::SimilaritySums bounded =
        qpu::Ssim::sums_of(sums(scene, SsimAddition::certified), format.width, format.height);
    const auto windows = static_cast<double>(bounded.windows);
    EXPECT_LT(bounded.errors.contrast / windows, 0x1p-42);
    EXPECT_NEAR(bounded.sums.luminance / windows, means.luminance, 0x1p-24);
    EXPECT_NEAR(bounded.sums.contrast / windows, means.contrast, 0x1p-24);
    EXPECT_NEAR(bounded.sums.structure / windows, means.structure, 0x1p-24);
    EXPECT_NEAR(bounded.sums.ssim / windows, means.ssim, 0x1p-24);
  }
}

TEST_F(SsimQpu, refuses_planes_that_do_not_hold_their_rows) {
  const qpu::Ssim ssim(*device(), 64, 20);
  const DeviceFloats plane(*device(), 64, 20);
  const auto totals = device()->create_buffer(sizeof(qpu::shader::SsimSums));
  const auto list = device()->create_command_list();
  const auto refuses = [&](SsimPlane bad) {
    EXPECT_THROW(ssim.measure(*list, bad, plane.view, {.buffer = totals.get()}, 0, {}), Error);
    EXPECT_THROW(ssim.measure(*list, plane.view, bad, {.buffer = totals.get()}, 0, {}), Error);
  };
  SsimPlane bad = plane.view;
  bad.stride = 255;
  refuses(bad);
  bad.stride = 252;
  refuses(bad);
  bad = plane.view;
  bad.range.size = bad.stride * 19 + 252;
  refuses(bad);
}

}  // namespace
}  // namespace sidecore::test_ssim_qpu
