// Scores of VMAF's models, compared with libvmaf's (tests/data/vmaf_golden) for any implementation.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "metrics/golden.h"
#include "metrics/picture_scorer.h"
#include "metrics/score_clips.h"
#include "metrics/vmaf_model.h"
#include "video/clip_source.h"

namespace sidecore::test {

/// A clip with banding: moving steps of one level, 16 samples apart. The reference has noise on the
/// steps, and chroma is flat.
class Ramp final : public video::PictureSource {
 public:
  Ramp(const video::PictureFormat& format, int pictures, bool noise)
      : format_(format), pictures_(pictures), noise_(noise) {}

  [[nodiscard]] const video::PictureFormat& format() const override { return format_; }
  [[nodiscard]] video::FrameRate frame_rate() const override { return {25, 1}; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  bool read(video::Picture& to) override {
    if (t_ == pictures_) return false;
    const auto luma = to.plane<std::uint8_t>(0);
    for (int y = 0; y < luma.height; ++y) {
      for (int x = 0; x < luma.width; ++x) {
        const int noise = noise_ ? (7 * x + 13 * y + t_) % 3 - 1 : 0;
        luma.row(y)[x] = static_cast<std::uint8_t>(40 + (((x + y + 5 * t_) >> 4) % 96) + noise);
      }
    }
    for (int plane = 1; plane < 3; ++plane) {
      const auto chroma = to.plane<std::uint8_t>(plane);
      for (int y = 0; y < chroma.height; ++y) std::fill_n(chroma.row(y), chroma.width, 128);
    }
    ++t_;
    return true;
  }

 private:
  video::PictureFormat format_;
  int pictures_;
  bool noise_;
  int t_ = 0;
  std::string name_ = "'ramp.y4m'";
};

/// Returns the built-in models without clip, named after their versions, and the phone model.
[[nodiscard]] inline std::vector<metrics::ModelRequest> all_models() {
  const std::vector<std::string> versions = metrics::vmaf_model_versions();
  std::vector<metrics::ModelRequest> models;
  models.reserve(versions.size() + 1);
  for (const std::string& version : versions) {
    models.push_back(
        metrics::parse_model_request(fmt::format("version={0}:name={0}:disable_clip", version)));
  }
  models.push_back(
      metrics::parse_model_request("version=vmaf_v0.6.1:name=phone:enable_transform:disable_clip"));
  return models;
}

/// Returns the features of the models, and separate requests for cambi and speed_chroma.
[[nodiscard]] inline std::vector<metrics::FeatureRequest> model_features(
    const std::vector<metrics::ModelRequest>& models) {
  std::vector<metrics::FeatureRequest> requests{metrics::parse_feature_request("cambi"),
                                                metrics::parse_feature_request("speed_chroma")};
  metrics::add_model_features(models, requests);
  return requests;
}

inline bool is_checked(const std::string& name) {
  return name.starts_with("cambi") || name.starts_with("speed") || name.starts_with("vmaf_") ||
         name == "phone";
}

/// Returns the tolerance of a score. Features are equal in every bit. Model scores differ by as
/// much as the exponential functions of two C libraries. Scores that depend on float_adm differ
/// more: an error of 9e-8 in adm2 is multiplied by up to 222.
inline double tolerance(const std::string& name) {
  if (name.starts_with("vmaf_float")) return 2e-5;
  return name.starts_with("vmaf_") || name == "phone" ? 1e-10 : 0;
}

/// Scores a golden clip with a scorer made for model_features(), and compares the scores.
inline void expect_golden_scores(const Golden& golden,
                                 const std::vector<metrics::ModelRequest>& models,
                                 metrics::PictureScorer& scorer) {
  const std::vector<std::string> names = metrics::output_names(model_features(models));
  const int pictures = golden.pictures;
  const auto run = [&](auto reference, auto distorted) {
    return metrics::score_clips(reference, distorted, scorer, names);
  };
  metrics::ScoreTable table =
      golden.name.starts_with("ramp")
          ? run(Ramp(golden.format, pictures, true), Ramp(golden.format, pictures, false))
          : run(ClipSource(Side::reference, golden.format, pictures),
                ClipSource(Side::distorted, golden.format, pictures));
  metrics::add_model_scores(models, table);
  std::size_t scores = 0;
  for (std::size_t i = 0; i < table.names().size(); ++i) {
    const std::string& name = table.names()[i];
    if (!is_checked(name)) continue;
    const std::vector<double> expected = golden.scores(name);
    ASSERT_EQ(table.column(i).size(), expected.size());
    if (name.starts_with("vmaf_") || name == "phone") ++scores;
    for (std::size_t t = 0; t < expected.size(); ++t) {
      EXPECT_NEAR(table.column(i)[t], expected[t], tolerance(name)) << name << ", picture " << t;
    }
  }
  EXPECT_EQ(scores, models.size());
}

}  // namespace sidecore::test
