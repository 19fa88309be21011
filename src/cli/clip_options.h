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
  std::vector<std::string> features;  ///< float_psnr when neither these nor models are named
  std::vector<std::string> models;
};

/// Adds the options, spelt as the `vmaf` command spells them.
void add_clip_options(CLI::App& command, ClipOptions& options);

struct Clips {
  std::unique_ptr<video::PictureSource> reference;
  std::unique_ptr<video::PictureSource> distorted;
};

/// Throws Error (usage) when the options contradict each other, a file cannot be read, or the two
/// differ in format.
[[nodiscard]] Clips open_clips(const ClipOptions& options);

/// Those of the options that say which pictures are scored.
[[nodiscard]] metrics::ScoreClipsOptions score_options(const ClipOptions& options);

/// What is scored.
struct ScoreRequests {
  std::vector<metrics::FeatureRequest> features;  ///< the models' too
  std::vector<metrics::ModelRequest> models;
};

/// What --feature and --model ask for; features that are asked for again are left out. Throws Error
/// (usage).
[[nodiscard]] ScoreRequests score_requests(const ClipOptions& options);

}  // namespace sidecore::cli
