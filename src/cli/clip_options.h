// A reference and a distorted clip, as `metrics` and `compare` take them.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/feature.h"
#include "metrics/score_clips.h"
#include "metrics/vmaf_model.h"
#include "video/source.h"

namespace sidecore::cli {

struct ClipOptions {
  std::string reference;
  std::string distorted;
  std::optional<int> width;
  std::optional<int> height;
  std::optional<std::string> pixel_format;
  std::optional<int> bitdepth;
  std::optional<std::uint64_t> frame_count;
  std::uint64_t skip_reference = 0;
  std::uint64_t skip_distorted = 0;
  std::uint64_t subsample = 1;
  bool start_at_key_frame = false;    ///< of VP9, as `decode` has it
  std::vector<std::string> features;  ///< float_psnr when neither these nor models are named
  std::vector<std::string> models;
  bool no_prediction = false;  ///< only the models' features are scored
};

/// Adds the options, spelt as the `vmaf` command spells them, which are all that it has but for its
/// files of subtitles and its named sets of features.
void add_clip_options(CLI::App& command, ClipOptions& options);

struct Clips {
  std::unique_ptr<video::PictureSource> reference;
  std::unique_ptr<video::PictureSource> distorted;
};

/// The last one counts of an option that is given again, as with the `vmaf` command; call it when
/// all options are there.
void let_last_count(CLI::App& command);

/// Throws Error (usage) when the options contradict each other, a file cannot be read, or the two
/// differ in format.
[[nodiscard]] Clips open_clips(const ClipOptions& options);

/// Those of the options that say which pictures are scored.
[[nodiscard]] metrics::ScoreClipsOptions score_options(const ClipOptions& options);

/// Prints on standard error what ScoreClipsOptions::unequal was told; nothing if that is empty.
void warn_of_lengths(const std::string& unequal);

/// What is scored.
struct ScoreRequests {
  std::vector<metrics::FeatureRequest> features;  ///< the models' too
  std::vector<metrics::ModelRequest> models;
};

/// Returns what --feature and --model ask for; features that are asked for again are left out, and
/// with
/// --no_prediction the models. Throws Error (usage).
[[nodiscard]] ScoreRequests score_requests(const ClipOptions& options);

}  // namespace sidecore::cli
