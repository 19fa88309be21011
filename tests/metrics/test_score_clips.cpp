// Scoring of clips: every picture is scored once and in order, and every mismatch is reported.
// ctest: threads
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "metrics/feature.h"
#include "metrics/host_scorer.h"
#include "metrics/score_clips.h"
#include "metrics/score_pair.h"
#include "video/clip_source.h"
#include "video/synthetic_clip.h"

namespace sidecore::metrics::test_score_clips {
namespace {

using ::sidecore::test::ClipSource;
using ::sidecore::test::error_text;
using ::sidecore::test::Side;
using video::Chroma;
using video::Picture;
using video::PictureFormat;

constexpr PictureFormat kFormat{64, 48, {Chroma::c420, 8}};

std::vector<FeatureRequest> float_psnr() {
  return {parse_feature_request("float_psnr")};
}

std::unique_ptr<PictureScorer> float_psnr_scorer(std::size_t threads) {
  return make_host_scorer(kFormat, float_psnr(), scalar_kernels, threads);
}

ScoreTable score(int reference_pictures, int distorted_pictures, std::size_t threads = 1,
                 const ScoreClipsOptions& options = {}) {
  ClipSource reference(Side::reference, kFormat, reference_pictures);
  ClipSource distorted(Side::distorted, kFormat, distorted_pictures);
  return score_clips(reference, distorted, *float_psnr_scorer(threads), {"float_psnr"}, options);
}

std::vector<double> scores_of(const ScoreTable& table) {
  const std::span<const double> column = table.column(0);
  return {column.begin(), column.end()};
}

ScoreClipsOptions picture_limit(std::uint64_t pictures) {
  ScoreClipsOptions options;
  options.picture_limit = pictures;
  return options;
}

/// A scorer that returns the number of earlier submissions as the score. It behaves as if the host
/// recomputed the pictures whose numbers are in `slow`: such a picture is unfinished as long as
/// another slot can be collected.
class SlowScorer final : public PictureScorer {
 public:
  explicit SlowScorer(std::vector<std::size_t> slow) : slow_(std::move(slow)) {
    for (int i = 0; i < 3; ++i) slots_.push_back({Picture(kFormat), Picture(kFormat)});
  }

  [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
  [[nodiscard]] Picture& reference(std::size_t slot) override { return slots_[slot].reference; }
  [[nodiscard]] Picture& distorted(std::size_t slot) override { return slots_[slot].distorted; }
  void submit(std::size_t slot) override {
    EXPECT_FALSE(slots_[slot].in_flight);
    slots_[slot].in_flight = true;
    slots_[slot].score = static_cast<double>(submitted_++);
  }
  [[nodiscard]] bool recomputes(std::size_t slot) override {
    EXPECT_TRUE(slots_[slot].in_flight);
    return std::ranges::count(slow_, static_cast<std::size_t>(slots_[slot].score)) != 0;
  }
  [[nodiscard]] std::span<const double> collect(std::size_t slot) override {
    EXPECT_TRUE(slots_[slot].in_flight);
    slots_[slot].in_flight = false;
    collected.push_back(static_cast<int>(slots_[slot].score));
    return {&slots_[slot].score, 1};
  }

  std::vector<int> collected;

 private:
  struct Slot {
    Picture reference, distorted;
    bool in_flight = false;
    double score = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::size_t> slow_;
  std::size_t submitted_ = 0;
};

TEST(ScoreClips, APictureThatTheHostComputesAgainKeepsOnlyItsOwnSlot) {
  const auto collected = [](std::vector<std::size_t> slow) {
    SlowScorer scorer(std::move(slow));
    ClipSource reference(Side::reference, kFormat, 7);
    ClipSource distorted(Side::distorted, kFormat, 7);
    const ScoreTable table = score_clips(reference, distorted, scorer, {"number"});
    EXPECT_EQ(table.pictures(), 7U);
    for (std::size_t i = 0; i < table.pictures(); ++i) {
      EXPECT_EQ(table.number(i), i);
      EXPECT_EQ(table.column(0)[i], static_cast<double>(i));
    }
    return scorer.collected;
  };
  EXPECT_EQ(collected({}), (std::vector{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(collected({1}), (std::vector{0, 2, 3, 4, 5, 1, 6}));
  // If all slots are unfinished, the oldest is waited for.
  EXPECT_EQ(collected({0, 1, 2}), (std::vector{0, 3, 4, 5, 6, 1, 2}));
}

TEST(ScoreClips, PicturesAreScoredInOrderWhateverTheNumberOfThreads) {
  const video::SyntheticClip clip(kFormat);
  for (const std::size_t threads : {1U, 2U, 5U}) {
    const ScoreTable table = score(11, 11, threads);
    ASSERT_EQ(table.pictures(), 11U);
    for (int t = 0; t < 11; ++t) {
      const double expected = test::score_pair(scalar_kernels, float_psnr()[0], clip.reference(t),
                                               clip.distorted(t))[0];
      EXPECT_EQ(table.column(0)[static_cast<std::size_t>(t)], expected)
          << threads << " threads, picture " << t;
    }
  }
}

TEST(ScoreClips, AClipShorterThanTheSlotsIsScored) {
  for (const int pictures : {1, 2}) {
    EXPECT_EQ(score(pictures, pictures, 5).pictures(), static_cast<std::size_t>(pictures));
  }
}

TEST(ScoreClips, ThePictureLimitStopsBeforeALengthMismatch) {
  EXPECT_EQ(score(9, 4, 2, picture_limit(4)).pictures(), 4U);
}

TEST(ScoreClips, ProgressCountsThePictures) {
  std::vector<std::uint64_t> seen;
  ScoreClipsOptions options;
  options.progress = [&](std::uint64_t done) { seen.push_back(done); };
  (void)score(3, 3, 1, options);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(ScoreClips, ASubsampleKeepsThePicturesNumbers) {
  const ScoreTable all = score(8, 8);
  ScoreClipsOptions options;
  options.subsample = 3;
  for (const std::size_t threads : {1U, 4U}) {
    const ScoreTable table = score(8, 8, threads, options);
    ASSERT_EQ(table.pictures(), 3U);
    for (std::size_t row = 0; row < 3; ++row) {
      EXPECT_EQ(table.number(row), 3 * row);
      EXPECT_EQ(table.column(0)[row], all.column(0)[3 * row]);
    }
  }
}

TEST(ScoreClips, SkippedPicturesAreLeftOutAndNotCounted) {
  const video::SyntheticClip clip(kFormat);
  ScoreClipsOptions options;
  options.skip_reference = 3;
  options.skip_distorted = 1;
  const ScoreTable table = score(6, 4, 1, options);
  ASSERT_EQ(table.pictures(), 3U);
  for (int t = 0; t < 3; ++t) {
    const auto row = static_cast<std::size_t>(t);
    EXPECT_EQ(table.number(row), row);
    EXPECT_EQ(table.column(0)[row],
              test::score_pair(scalar_kernels, float_psnr()[0], clip.reference(t + 3),
                               clip.distorted(t + 1))[0]);
  }
}

TEST(ScoreClips, SkippingMoreThanThereIsIsRefused) {
  ScoreClipsOptions options;
  options.skip_distorted = 5;
  EXPECT_EQ(error_text([&] { (void)score(9, 4, 1, options); }),
            "'b.y4m' has 4 pictures: 5 cannot be skipped");
}

TEST(ScoreClips, TheFirstPairIsScoredBeforeTheSecondIsBegun) {
  std::vector<std::uint64_t> read;
  std::uint64_t first = 99;
  ScoreClipsOptions options;
  options.progress = [&](std::uint64_t done) { read.push_back(done); };
  options.first_scored = [&] { first = read.size(); };
  EXPECT_EQ(score(5, 5, 2, options).pictures(), 5U);
  EXPECT_EQ(first, 0U);
}

TEST(ScoreClips, ClipsOfDifferentLengthsAreScoredToTheEndOfTheShorterOne) {
  std::vector<std::string> told;
  ScoreClipsOptions options;
  options.unequal = [&](const std::string& text) { told.push_back(text); };
  const std::vector<double> both = scores_of(score(8, 8));
  for (const std::size_t slots : {1U, 3U}) {
    EXPECT_EQ(scores_of(score(10, 8, slots, options)), both);
    EXPECT_EQ(scores_of(score(8, 9, slots, options)), both);
  }
  const std::string short_b =
      "distorted 'b.y4m' ended after 8 pictures, reference 'a.y4m' has more";
  const std::string short_a =
      "reference 'a.y4m' ended after 8 pictures, distorted 'b.y4m' has more";
  EXPECT_EQ(told, (std::vector{short_b, short_a, short_b, short_a}));
}

TEST(ScoreClips, LengthsAreNotComparedBehindALimit) {
  ScoreClipsOptions options;
  options.picture_limit = 8;
  options.unequal = [](const std::string& text) { ADD_FAILURE() << text; };
  EXPECT_EQ(score(10, 8, 1, options).pictures(), 8U);
}

TEST(ScoreClips, LengthsAreOfWhatIsNotSkipped) {
  ScoreClipsOptions options;
  options.skip_distorted = 3;
  std::string told;
  options.unequal = [&](const std::string& text) { told = text; };
  EXPECT_EQ(score(10, 10, 2, options).pictures(), 7U);
  EXPECT_EQ(told, "distorted 'b.y4m' ended after 7 pictures, reference 'a.y4m' has more");
}

/// A source that leaves out pictures of a clip, as a decoder does after damage.
class LossySource final : public video::PictureSource {
 public:
  LossySource(Side side, int pictures, std::vector<std::uint64_t> missing)
      : clip_(side, kFormat, pictures), missing_(std::move(missing)) {}

  [[nodiscard]] const PictureFormat& format() const override { return kFormat; }
  [[nodiscard]] video::FrameRate frame_rate() const override { return clip_.frame_rate(); }
  [[nodiscard]] const std::string& name() const override { return clip_.name(); }
  bool read(Picture& picture) override {
    while (true) {
      if (!clip_.read(picture)) return false;
      if (std::ranges::count(missing_, next_++) == 0) return true;
      ++lost_;
    }
  }
  [[nodiscard]] std::uint64_t lost() const override { return lost_; }

 private:
  ClipSource clip_;
  std::vector<std::uint64_t> missing_;
  std::uint64_t next_ = 0;
  std::uint64_t lost_ = 0;
};

TEST(ScoreClips, APictureThatOneClipHasLostIsLeftOutOfBoth) {
  using Numbers = std::vector<std::uint64_t>;
  const std::vector<double> all = scores_of(score(9, 9));
  const auto without = [&](const Numbers& missing) {
    std::vector<double> rest;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (std::ranges::count(missing, i) == 0) rest.push_back(all[i]);
    }
    return rest;
  };
  const auto lossy = [](const Numbers& of_reference, const Numbers& of_distorted) {
    LossySource reference(Side::reference, 9, of_reference);
    LossySource distorted(Side::distorted, 9, of_distorted);
    ScoreClipsOptions options;
    return scores_of(
        score_clips(reference, distorted, *float_psnr_scorer(2), {"float_psnr"}, options));
  };
  EXPECT_EQ(lossy({}, {}), all);
  EXPECT_EQ(lossy({}, {0}), without({0}));
  EXPECT_EQ(lossy({0, 1, 2}, {}), without({0, 1, 2}));
  EXPECT_EQ(lossy({4}, {4}), without({4}));
  EXPECT_EQ(lossy({3, 4}, {4, 5}), without({3, 4, 5}));
  EXPECT_EQ(lossy({1, 2, 3}, {6}), without({1, 2, 3, 6}));
  EXPECT_EQ(lossy({2}, {3}), without({2, 3}));
  EXPECT_EQ(lossy({}, {8}), without({8}));
}

TEST(ScoreClips, SkippedPicturesAreCountedWithThoseThatAreLost) {
  const std::vector<double> all = scores_of(score(9, 9));
  const auto skipping = [](std::uint64_t pictures, const std::vector<std::uint64_t>& missing) {
    LossySource reference(Side::reference, 9, {});
    LossySource distorted(Side::distorted, 9, missing);
    ScoreClipsOptions options;
    options.skip_reference = options.skip_distorted = pictures;
    return scores_of(
        score_clips(reference, distorted, *float_psnr_scorer(2), {"float_psnr"}, options));
  };
  const auto from = [&](std::size_t first) {
    return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  };
  EXPECT_EQ(skipping(3, {}), from(3));
  EXPECT_EQ(skipping(3, {0}), from(3));
  EXPECT_EQ(skipping(3, {0, 1, 2}), from(3)) << "the gap ends with the skipped pictures";
  EXPECT_EQ(skipping(3, {1, 2, 3, 4}), from(5)) << "the gap continues after the skipped pictures";
  EXPECT_EQ(skipping(3, {3}), from(4));
  EXPECT_EQ(skipping(1, {0, 1, 2, 3, 4, 5, 6, 7}), from(8));
}

TEST(ScoreClips, AClipWithoutAPictureIsRefusedBesideOneThatHasSome) {
  EXPECT_EQ(error_text([] { (void)score(0, 1); }),
            "reference 'a.y4m' ended after 0 pictures, distorted 'b.y4m' has more");
  EXPECT_EQ(error_text([] { (void)score(3, 0); }),
            "distorted 'b.y4m' ended after 0 pictures, reference 'a.y4m' has more");
}

TEST(ScoreClips, ClipsOfDifferentFormatsAreRefusedNamingBoth) {
  ClipSource reference(Side::reference, {1920, 1080, {Chroma::c420, 8}}, 1);
  for (const auto& [format, text] :
       {std::pair{PictureFormat{1280, 720, {Chroma::c420, 8}}, "1280x720 yuv420p"},
        std::pair{PictureFormat{1920, 1080, {Chroma::c420, 10}}, "1920x1080 yuv420p10le"},
        std::pair{PictureFormat{1920, 1080, {Chroma::c422, 8}}, "1920x1080 yuv422p"}}) {
    ClipSource distorted(Side::distorted, format, 1);
    EXPECT_EQ(error_text([&] { check_same_format(reference, distorted); }),
              fmt::format("reference 'a.y4m' is 1920x1080 yuv420p, distorted 'b.y4m' is {}", text));
  }
}

TEST(ScoreClips, ClipsWithoutPicturesAreRefused) {
  EXPECT_THROW((void)score(0, 0), Error);
}

class FailingKernel final : public PairKernel {
 public:
  void score(const Picture&, const Picture&, ThreadTeam& rows, std::span<double>) override {
    rows.run(20, [](std::size_t piece, std::size_t) {
      if (piece == 10) throw usage_error("the kernel failed");
    });
  }
};

KernelMaker failing_kernels(const FeatureFamily& /*any*/) {
  return
      [](const PictureFormat&, std::span<const FeatureRequest>,
         std::size_t) -> std::unique_ptr<PairKernel> { return std::make_unique<FailingKernel>(); };
}

TEST(HostScorer, AFailingKernelFailsTheClipAndEndsItsThreads) {
  ClipSource reference(Side::reference, kFormat, 5);
  ClipSource distorted(Side::distorted, kFormat, 5);
  const auto scorer = make_host_scorer(kFormat, float_psnr(), failing_kernels, 2);
  EXPECT_EQ(error_text([&] { (void)score_clips(reference, distorted, *scorer, {"float_psnr"}); }),
            "the kernel failed");
}

TEST(HostScorer, ADepthThatAFeatureIsNotDefinedForIsRefused) {
  EXPECT_THROW((void)make_host_scorer({64, 48, {Chroma::c420, 9}}, float_psnr(), scalar_kernels, 1),
               Error);
}

TEST(Feature, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_EQ(error_text([] { (void)find_feature("vmaf"); }).find("there is no feature 'vmaf': "),
            0U);
  EXPECT_NE(error_text([] { (void)find_feature("vmaf"); }).find("float_psnr"), std::string::npos);
}

}  // namespace
}  // namespace sidecore::metrics::test_score_clips
