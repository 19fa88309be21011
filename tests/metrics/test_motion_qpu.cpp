// motion on the QPU compared with the scalar definition, on the default device under the validation
// layer and V3D's limits: sums of strips, and clips through the scorer, whose pairs depend on
// others.
// ctest: long, v3dsim
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/host_scorer.h"
#include "metrics/motion.h"
#include "metrics/random_scene.h"
#include "metrics/score_clips.h"
#include "neon/metrics/feature_kernels.h"
#include "qpu/metrics/feature_work.h"
#include "qpu/metrics/motion.h"
#include "qpu/metrics/picture_scorer.h"
#include "qpu/qpu_test_device.h"
#include "video/clip_source.h"

namespace sidecore::test_motion_qpu {
namespace {

using metrics::FeatureRequest;
using metrics::parse_feature_request;
using test::ClipSource;
using test::Side;
using video::Chroma;
using video::PictureFormat;

constexpr int kStripRows = 16;
constexpr int kDepths[] = {8, 10, 12, 16};

std::uint64_t scalar_sum(const video::Picture& previous, const video::Picture& current, int first,
                         int last) {
  metrics::MotionRow row(current.format().width);
  const int bits = current.format().pixel.bits;
  return bits == 8 ? metrics::motion_sad(previous.plane<std::uint8_t>(0),
                                         current.plane<std::uint8_t>(0), first, last, row)
                   : metrics::motion_sad(previous.plane<std::uint16_t>(0),
                                         current.plane<std::uint16_t>(0), bits, first, last, row);
}

class MotionQpu : public test::QpuTest {
 protected:
  static void expect_scalar_sums(const video::Picture& previous, const video::Picture& current) {
    const PictureFormat& format = current.format();
    qpu::DevicePicture first(*device(), format);
    qpu::DevicePicture second(*device(), format);
    test::scene::copy_samples(previous, first.picture());
    test::scene::copy_samples(current, second.picture());
    const qpu::Motion motion(*device(), format);
    const auto strips = device()->create_buffer(motion.strips() * sizeof(std::uint64_t));
    const auto total = device()->create_buffer(sizeof(std::uint64_t));
    const auto list = device()->create_command_list();
    list->upload(first.plane(0));
    list->upload(second.plane(0));
    motion.record(*list, first.plane(0), second.plane(0), second.stride(0),
                  {.buffer = strips.get()}, {.buffer = total.get()});
    list->download({.buffer = strips.get()});
    list->download({.buffer = total.get()});
    list->finish();
    device()->submit(*list).wait();
    const auto sums = strips->as<std::uint64_t>();
    ASSERT_EQ(sums.size(), static_cast<std::size_t>((format.height + kStripRows - 1) / kStripRows));
    for (std::size_t strip = 0; strip < sums.size(); ++strip) {
      const int row = static_cast<int>(strip) * kStripRows;
      EXPECT_EQ(sums[strip],
                scalar_sum(previous, current, row, std::min(row + kStripRows, format.height)))
          << "strip " << strip;
    }
    EXPECT_EQ(total->as<std::uint64_t>()[0], scalar_sum(previous, current, 0, format.height));
  }
};

TEST_F(MotionQpu, IsTheDefinitionOnPicturesOfEveryKind) {
  Random random(20261125);
  for (int i = 0; i < 48; ++i) {
    const PictureFormat format{static_cast<int>(3 + random.below(45)),
                               static_cast<int>(3 + random.below(45)),
                               {Chroma::c400, kDepths[i % 4]}};
    const test::Scene scene = test::random_scene(format, random);
    SCOPED_TRACE(fmt::format("picture {}: {} {}", i, to_string(format), scene.content));
    expect_scalar_sums(scene.reference, scene.distorted);
  }
}

/// These widths end at any position in a column and in the next one, or need a second round of
/// columns.
TEST_F(MotionQpu, MirrorsRowsThatEndAnywhere) {
  Random random(20261126);
  for (const int width : {3, 4, 5, 6, 7, 8, 9, 10, 11, 17, 255, 256, 257, 514, 1031}) {
    for (const int bits : {8, 10}) {
      const PictureFormat format{width, 3 + width % 3, {Chroma::c400, bits}};
      video::Picture previous(format);
      video::Picture current(format);
      test::scene::fill_padding(previous, random);
      test::scene::fill_padding(current, random);
      test::scene::fill_noise(previous, random);
      test::scene::fill_noise(current, random);
      SCOPED_TRACE(to_string(format));
      expect_scalar_sums(previous, current);
    }
  }
}

TEST_F(MotionQpu, MirrorsStripsThatEndAnywhere) {
  Random random(20261127);
  for (const int height : {3, 4, 15, 16, 17, 18, 19, 33}) {
    const PictureFormat format{19, height, {Chroma::c400, 8}};
    video::Picture previous(format);
    video::Picture current(format);
    test::scene::fill_noise(previous, random);
    test::scene::fill_noise(current, random);
    SCOPED_TRACE(to_string(format));
    expect_scalar_sums(previous, current);
  }
}

/// Pictures change from black to white, or have stripes and squares with the filter's largest sums.
TEST_F(MotionQpu, HoldsTheLargestDifferences) {
  for (const int bits : kDepths) {
    const PictureFormat format{37, 21, {Chroma::c400, bits}};
    const auto max = static_cast<std::uint32_t>(format.pixel.max_value());
    video::Picture black(format);
    video::Picture white(format);
    test::scene::fill_flat(white, max);
    video::Picture stripes(format);
    video::Picture opposite(format);
    test::scene::for_each_sample(
        stripes, [&](int x, int y, std::uint32_t) { return x / 3 % 2 == y / 7 % 2 ? max : 0; });
    test::scene::for_each_sample(
        opposite, [&](int x, int y, std::uint32_t) { return x / 3 % 2 == y / 7 % 2 ? 0 : max; });
    SCOPED_TRACE(bits);
    expect_scalar_sums(black, white);
    expect_scalar_sums(white, black);
    expect_scalar_sums(stripes, opposite);
  }
}

TEST_F(MotionQpu, RefusesWhatItDoesNotHold) {
  EXPECT_THROW(qpu::Motion(*device(), {64, 48, {Chroma::c400, 9}}), Error);
  EXPECT_THROW(qpu::Motion(*device(), {64, 2, {Chroma::c400, 8}}), Error);
  const qpu::Motion motion(*device(), {100, 20, {Chroma::c400, 8}});
  const auto plane = device()->create_buffer(std::size_t{112} * 20);
  const auto sums = device()->create_buffer(512);
  const auto list = device()->create_command_list();
  const qpu::BufferRange whole{.buffer = plane.get()};
  const qpu::BufferRange part{.buffer = plane.get(), .offset = 0, .size = 112 * 20 - 16};
  const qpu::BufferRange strips{.buffer = sums.get(), .offset = 0, .size = 16};
  const qpu::BufferRange total{.buffer = sums.get(), .offset = 256, .size = 8};
  EXPECT_THROW(motion.record(*list, whole, whole, 104, strips, total), Error);
  EXPECT_THROW(motion.record(*list, part, whole, 112, strips, total), Error);
  EXPECT_THROW(motion.record(*list, whole, part, 112, strips, total), Error);
  EXPECT_NO_THROW(motion.record(*list, whole, whole, 112, strips, total));
}

/// Tests all options, both distances, and another feature that depends on one pair alone.
std::vector<FeatureRequest> requests_of_a_clip() {
  return {parse_feature_request("motion=debug=true"), parse_feature_request("float_psnr"),
          parse_feature_request("motion=motion_max_val=18:motion_five_frame_window=true:"
                                "motion_moving_average=true"),
          parse_feature_request("motion=motion_blend_factor=0.5:motion_blend_offset=4:"
                                "motion_fps_weight=1.5"),
          parse_feature_request("motion=motion_force_zero=true")};
}

metrics::ScoreTable score(metrics::PictureScorer& scorer, std::span<const FeatureRequest> requests,
                          const PictureFormat& format, int pictures, std::uint64_t subsample) {
  ClipSource reference(Side::reference, format, pictures);
  ClipSource distorted(Side::distorted, format, pictures);
  metrics::ScoreClipsOptions options;
  options.subsample = subsample;
  return metrics::score_clips(reference, distorted, scorer, metrics::output_names(requests),
                              options);
}

void expect_same(const metrics::ScoreTable& found, const metrics::ScoreTable& expected) {
  ASSERT_EQ(found.pictures(), expected.pictures());
  for (std::size_t i = 0; i < expected.names().size(); ++i) {
    EXPECT_TRUE(std::ranges::equal(found.column(i), expected.column(i))) << expected.names()[i];
  }
}

class MotionQpuClip : public test::QpuTest {};

TEST_F(MotionQpuClip, ScoresAreThoseOfTheDefinitionWhicheverPicturesAreScored) {
  const std::vector<FeatureRequest> requests = requests_of_a_clip();
  for (const int bits : {8, 10}) {
    const PictureFormat format{67, 35, {Chroma::c420, bits}};
    const auto host = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
    const auto qpu = make_picture_scorer(*device(), format, requests, metrics::scalar_kernels);
    EXPECT_TRUE(qpu->is_temporal());
    // A scorer processes several clips; one is shorter than the history.
    for (const int pictures : {9, 1, 2, 8}) {
      for (const std::uint64_t subsample : {1U, 3U}) {
        SCOPED_TRACE(fmt::format("{} bits, {} pictures, every {}", bits, pictures, subsample));
        expect_same(score(*qpu, requests, format, pictures, subsample),
                    score(*host, requests, format, pictures, subsample));
      }
    }
  }
}

TEST_F(MotionQpuClip, WithoutItTheScorerIsNotTemporal) {
  const PictureFormat format{64, 48, {Chroma::c420, 8}};
  const FeatureRequest request = parse_feature_request("float_psnr");
  EXPECT_FALSE(make_picture_scorer(*device(), format, {&request, 1}, metrics::scalar_kernels)
                   ->is_temporal());
}

/// Counts the dispatches: strips and their total for both distances, and for float_psnr.
TEST_F(MotionQpuClip, APictureIsOneSubmission) {
  const PictureFormat format{64, 48, {Chroma::c420, 8}};
  const std::vector<FeatureRequest> requests = requests_of_a_clip();
  const auto scorer = make_picture_scorer(*device(), format, requests, metrics::scalar_kernels);
  const qpu::DeviceCounters before = device()->counters();
  (void)score(*scorer, requests, format, 12, 1);
  const qpu::DeviceCounters& after = device()->counters();
  EXPECT_EQ(after.submits - before.submits, 12U);
  EXPECT_EQ(after.dispatches - before.dispatches, 12U * 6);
  EXPECT_EQ(after.pipelines_created, before.pipelines_created);
}

/// A pair may stay in its slot while later pairs are collected, for example while the host
/// recomputes a value of it. Meanwhile its pictures, and those that later pairs need, must not be
/// overwritten.
TEST_F(MotionQpuClip, PairsMayBeCollectedInAnyOrder) {
  const PictureFormat format{40, 24, {Chroma::c420, 8}};
  const std::vector<FeatureRequest> requests{
      parse_feature_request("motion"),
      parse_feature_request("motion=motion_max_val=18:motion_five_frame_window=true")};
  constexpr std::size_t kPictures = 12;
  const auto qpu = make_picture_scorer(*device(), format, requests, metrics::scalar_kernels);
  const video::SyntheticClip clip(format);
  const std::size_t outputs = metrics::output_names(requests).size();
  std::vector<std::vector<double>> columns(outputs, std::vector<double>(kPictures));
  const auto begin = [&](std::size_t slot, std::size_t picture) {
    clip.fill_reference(static_cast<int>(picture), qpu->reference(slot));
    qpu->submit(slot);
  };
  const auto collect = [&](std::size_t slot, std::size_t picture) {
    const std::span<const double> scores = qpu->collect(slot);
    for (std::size_t i = 0; i < outputs; ++i) columns[i][picture] = scores[i];
  };
  // Picture 0 stays in slot 0 until the end; the others alternate between two slots.
  begin(0, 0);
  begin(1, 1);
  begin(2, 2);
  for (std::size_t picture = 3; picture < kPictures; ++picture) {
    const std::size_t slot = 2 - picture % 2;
    collect(slot, picture - 2);
    begin(slot, picture);
  }
  collect(2 - kPictures % 2, kPictures - 2);
  collect(1 + kPictures % 2, kPictures - 1);
  collect(0, 0);
  std::vector<std::span<double>> all(columns.begin(), columns.end());
  qpu->finish_clip(all);

  const auto host = metrics::make_host_scorer(format, requests, metrics::scalar_kernels, 1);
  const metrics::ScoreTable expected = score(*host, requests, format, kPictures, 1);
  for (std::size_t i = 0; i < outputs; ++i) {
    EXPECT_TRUE(std::ranges::equal(columns[i], expected.column(i))) << expected.names()[i];
  }
}

}  // namespace
}  // namespace sidecore::test_motion_qpu
