// Options for a reference and a distorted clip, which `metrics` and `compare` share.
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
  /// See --start-at-key-frame of `sidecore decode`; for VP9 files.
  bool start_at_key_frame = false;
  /// Requested features; float_psnr is scored if there is no feature and no model.
  std::vector<std::string> features;
  std::vector<std::string> models;
  bool no_prediction = false;  ///< score the models' features, but not the models
};

/// Adds the options of the `vmaf` command with their spelling. Its options for subtitle files and
/// for named sets of features are missing.
void add_clip_options(CLI::App& command, ClipOptions& options);

struct Clips {
  std::unique_ptr<video::PictureSource> reference;
  std::unique_ptr<video::PictureSource> distorted;
};

/// Makes the last value count if an option is given twice, as in the `vmaf` command. Call it after
/// all options are added.
void use_last_value(CLI::App& command);

/// Opens both clips. Throws Error (usage) if the options contradict each other, a file cannot be
/// read, or the two clips differ in format.
[[nodiscard]] Clips open_clips(const ClipOptions& options);

/// Returns the options that select the scored pictures.
[[nodiscard]] metrics::ScoreClipsOptions score_options(const ClipOptions& options);

/// Prints a warning on standard error that the clips have unequal lengths. `unequal` is the text
/// that ScoreClipsOptions::unequal received; if it is empty, nothing is printed.
void warn_about_unequal_lengths(const std::string& unequal);

/// The features and models to score.
struct ScoreRequests {
  /// Requested features, and those that the models need.
  std::vector<metrics::FeatureRequest> features;
  std::vector<metrics::ModelRequest> models;
};

/// Returns the requests of --feature and --model. Repeated features are left out, and with
/// --no_prediction the models. Throws Error (usage).
[[nodiscard]] ScoreRequests score_requests(const ClipOptions& options);

}  // namespace sidecore::cli
