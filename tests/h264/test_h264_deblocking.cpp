// Tests of H.264's deblocking: the scalar definition with known values, and NEON and threads
// against it.
// ctest: threads
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/thread_pool.h"
#include "error_text.h"
#include "h264/deblocking.h"
#include "h264/deblocking_work.h"
#include "kernels/vp9/loop_filter_picture.h"
#include "temporary_directory.h"

namespace sidecore::test_h264_deblocking {
namespace {

using gates::Content;
using h264::DeblockingWork;
using h264::EdgeDirection;
using h264::Macroblock;

// The indices of the strongest filter: alpha 255, beta 18, tC0 13, 17 and 25.
constexpr h264::EdgeIndices kStrongest{51, 51};

DeblockingWork work_of(int width, int height, Content content, std::uint64_t seed,
                       std::optional<int> index = std::nullopt) {
  const video::PictureFormat format{width, height, {}};
  DeblockingWork work{video::Picture(format), h264::random_macroblocks(format, index, seed)};
  bench::fill_picture(content, work.picture, seed + 100);
  return work;
}

// Replaces all samples by 0 and 255.
void make_extreme(video::Picture& picture) {
  for (std::byte& sample : picture.bytes()) {
    sample = sample < std::byte{128} ? std::byte{0} : std::byte{255};
  }
}

std::vector<std::byte> deblocked(const h264::DeblockingKernels& kernels,
                                 const DeblockingWork& work) {
  video::Picture picture(work.picture.format());
  std::ranges::copy(work.picture.bytes(), picture.bytes().begin());
  h264::deblock(kernels, h264::planes_of(picture), work.macroblocks, 0, work.macroblocks.size());
  return {picture.bytes().begin(), picture.bytes().end()};
}

// Filters one line of 8 luma samples, p3 to q3, and returns it.
std::array<int, 8> filtered_line(const std::array<int, 8>& line, std::uint8_t strength,
                                 const h264::EdgeThresholds& thresholds, bool chroma = false) {
  std::vector<std::uint8_t> samples(16 * 8);
  for (std::size_t at = 0; at < samples.size(); ++at) {
    samples[at] = static_cast<std::uint8_t>(line[at % 8]);
  }
  const h264::Strengths strengths{strength, strength, strength, strength};
  std::uint8_t* const q0 = samples.data() + 4;
  if (chroma) {
    std::vector<std::uint8_t> other = samples;
    h264::scalar_deblocking().chroma({q0, other.data() + 4}, 8, EdgeDirection::vertical, strengths,
                                     {thresholds, thresholds});
  } else {
    h264::scalar_deblocking().luma(q0, 8, EdgeDirection::vertical, strengths, thresholds);
  }
  std::array<int, 8> result{};
  std::copy_n(samples.begin(), 8, result.begin());
  return result;
}

TEST(H264Deblocking, takes_its_thresholds_from_the_tables) {
  const h264::EdgeThresholds strongest = h264::edge_thresholds(kStrongest);
  EXPECT_EQ(strongest.alpha, 255);
  EXPECT_EQ(strongest.beta, 18);
  EXPECT_EQ(strongest.tc0, (std::array<std::uint8_t, 4>{0, 13, 17, 25}));
  const h264::EdgeThresholds middle = h264::edge_thresholds({35, 29});
  EXPECT_EQ(middle.alpha, 45);
  EXPECT_EQ(middle.beta, 7);
  EXPECT_EQ(middle.tc0, (std::array<std::uint8_t, 4>{0, 2, 3, 4}));
  EXPECT_EQ(h264::edge_thresholds({15, 15}).alpha, 0);
  EXPECT_EQ(h264::edge_thresholds({15, 15}).beta, 0);
}

// The expected samples were computed by hand from section 8.7.2.3.
TEST(H264Deblocking, filters_lines_of_strengths_below_4) {
  const h264::EdgeThresholds thresholds{40, 10, {0, 2, 3, 4}};
  const std::array line = {60, 60, 60, 60, 76, 76, 76, 76};
  // The samples on each side of the edge are flat, so that
  // tC = 2 + 1 + 1, delta = min((64 - 16 + 4) >> 3, 4) = 4,
  // p1 += min((60 + 68 - 120) >> 1, 2) = 2, q1 += max((76 + 68 - 152) >> 1, -2) = -2.
  EXPECT_EQ(filtered_line(line, 1, thresholds), (std::array{60, 60, 62, 64, 72, 74, 76, 76}));
  EXPECT_EQ(filtered_line(line, 0, thresholds), line);
  // Chroma: tC = 2 + 1, and only p0 and q0 change.
  EXPECT_EQ(filtered_line(line, 1, thresholds, true), (std::array{60, 60, 60, 63, 73, 76, 76, 76}));
  // |p0 - q0| is alpha, |p1 - p0| is beta, or |q1 - q0| is: not filtered.
  for (const std::array<int, 8>& outside :
       {std::array{60, 60, 60, 60, 100, 100, 100, 100}, std::array{60, 60, 50, 60, 76, 76, 76, 76},
        std::array{60, 60, 60, 60, 76, 86, 76, 76}}) {
    EXPECT_EQ(filtered_line(outside, 3, thresholds), outside);
  }
  // |p2 - p0| is beta: p1 stays, and tC = 4 + 1 limits delta = 6.
  EXPECT_EQ(filtered_line({50, 50, 60, 60, 76, 76, 76, 76}, 3, thresholds),
            (std::array{50, 50, 60, 65, 71, 72, 76, 76}));
}

// The expected samples were computed by hand from section 8.7.2.4.
TEST(H264Deblocking, filters_lines_of_strength_4) {
  const h264::EdgeThresholds thresholds{40, 10, {}};
  // |p0 - q0| = 8 is below 40 / 4 + 2.
  EXPECT_EQ(filtered_line({60, 60, 60, 60, 68, 68, 68, 68}, 4, thresholds),
            (std::array{60, 61, 62, 63, 65, 66, 67, 68}));
  // |p0 - q0| = 12 is not.
  EXPECT_EQ(filtered_line({60, 60, 60, 60, 72, 72, 72, 72}, 4, thresholds),
            (std::array{60, 60, 60, 63, 69, 72, 72, 72}));
  EXPECT_EQ(filtered_line({60, 60, 60, 60, 68, 68, 68, 68}, 4, thresholds, true),
            (std::array{60, 60, 60, 62, 66, 68, 68, 68}));
}

TEST(H264DeblockingNeon, gives_the_definitions_samples) {
  for (const Content content : gates::synthetic_contents()) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      DeblockingWork work = work_of(96, 80, content, seed);
      EXPECT_EQ(deblocked(h264::neon_deblocking(), work),
                deblocked(h264::scalar_deblocking(), work))
          << to_string(content) << ", seed " << seed;
    }
  }
}

TEST(H264DeblockingNeon, gives_the_definitions_samples_for_extreme_ones) {
  for (const int index : {0, 16, 30, 40, 51}) {
    DeblockingWork work = work_of(96, 80, Content::random, 7, index);
    make_extreme(work.picture);
    EXPECT_EQ(deblocked(h264::neon_deblocking(), work), deblocked(h264::scalar_deblocking(), work))
        << index;
  }
}

// Tests all differences of the samples next to an edge, with each strength.
TEST(H264DeblockingNeon, gives_the_definitions_samples_for_all_steps) {
  const h264::EdgeThresholds widest{255, 255, {0, 13, 17, 25}};
  for (int p0 = 0; p0 < 256; p0 += 3) {
    for (int q0 = 0; q0 < 256; ++q0) {
      std::array<std::uint8_t, 16 * 8> scalar{};
      Random random(static_cast<std::uint64_t>(p0 * 256 + q0));
      for (std::size_t at = 0; at < scalar.size(); ++at) {
        const int near = at % 8 < 4 ? p0 : q0;
        const int offset = at % 8 == 3 || at % 8 == 4 ? 0 : static_cast<int>(random.below(40)) - 20;
        scalar[at] = static_cast<std::uint8_t>(std::clamp(near + offset, 0, 255));
      }
      auto neon = scalar;
      h264::Strengths strengths{1, 2, 3, 0};
      if (random.below(3) == 0) strengths.fill(4);
      h264::scalar_deblocking().luma(scalar.data() + 4, 8, EdgeDirection::vertical, strengths,
                                     widest);
      h264::neon_deblocking().luma(neon.data() + 4, 8, EdgeDirection::vertical, strengths, widest);
      ASSERT_EQ(neon, scalar) << p0 << ", " << q0;
    }
  }
}

TEST(H264Deblocking, gives_the_same_samples_on_several_threads) {
  const DeblockingWork work = work_of(208, 112, Content::high_variance, 4);
  const std::vector<std::byte> serial = deblocked(h264::scalar_deblocking(), work);
  ThreadPool team(3);
  for (int time = 0; time < 4; ++time) {
    video::Picture picture(work.picture.format());
    std::ranges::copy(work.picture.bytes(), picture.bytes().begin());
    h264::deblock(h264::neon_deblocking(), h264::planes_of(picture), work.macroblocks, team);
    EXPECT_TRUE(std::ranges::equal(picture.bytes(), serial));
  }
}

TEST(H264Deblocking, refuses_impossible_macroblocks) {
  const video::PictureFormat format{32, 32, {}};
  const auto text_of = [&](const std::function<void(std::vector<Macroblock>&)>& change) {
    std::vector<Macroblock> macroblocks = h264::random_macroblocks(format, {}, 1);
    change(macroblocks);
    return test::error_text([&] { h264::check_macroblocks(format, macroblocks); });
  };
  EXPECT_EQ(text_of([](auto& all) { all.pop_back(); }),
            "a picture of 32x32 yuv420p has 4 macroblocks, not 3");
  EXPECT_EQ(text_of([](auto& all) { all[3].strengths[1][2][0] = 5; }),
            "a filter strength is above 4");
  EXPECT_EQ(text_of([](auto& all) {
              all[3].strengths[1][2] = {4, 4, 4, 4};
            }),
            "strength 4 must hold for all segments of a macroblock's border");
  EXPECT_EQ(text_of([](auto& all) {
              all[3].strengths[0][0] = {4, 4, 4, 3};
            }),
            "strength 4 must hold for all segments of a macroblock's border");
  EXPECT_EQ(text_of([](auto& all) {
              all[2].strengths[0][0] = {1, 0, 0, 0};
            }),
            "an edge on the picture's border has a strength above 0");
  EXPECT_EQ(text_of([](auto& all) { all[1].indices[2][1].b = 52; }), "an index is above 51");
  EXPECT_EQ(test::error_text([] {
              h264::check_macroblocks({24, 16, {}}, {});
            }),
            "deblocking needs 4:2:0, 8 bits and whole macroblocks, not 24x16 yuv420p");
}

TEST(H264DeblockingWork, survives_a_file) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "capture";
  const DeblockingWork work = work_of(48, 32, Content::random, 1);
  h264::write_capture(path, work);
  EXPECT_TRUE(h264::is_capture(path));
  const DeblockingWork read = h264::read_capture(path);
  EXPECT_EQ(deblocked(h264::scalar_deblocking(), read), deblocked(h264::scalar_deblocking(), work));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_EQ(
      test::error_text([&] { (void)h264::read_capture(path); }),
      fmt::format("'{}' is not a capture of an H.264 picture, or it is damaged", path.string()));
  std::ofstream(path) << "no capture";
  EXPECT_FALSE(h264::is_capture(path));
}

}  // namespace
}  // namespace sidecore::test_h264_deblocking
