#include "metrics/float_motion.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

// Options of float_motion. Names, ranges, defaults and abbreviations equal libvmaf's.
constexpr std::array kFloatMotionOptions{
    OptionSpec{.name = "debug", .default_value = 1, .adds_outputs = true},
    OptionSpec{"motion_force_zero", OptionType::boolean, 0, 0, 1, "force_0"},
    OptionSpec{"motion_fps_weight", OptionType::real, 1, 0, 5, "mfw"},
    OptionSpec{"motion_blend_factor", OptionType::real, 1, 0, 1, "mbf"},
    OptionSpec{"motion_blend_offset", OptionType::real, 40, 0, 1000, "mbo"},
    OptionSpec{"motion_max_val", OptionType::real, 10000, 0, 10000, "mmxv"}};

/// Columns of the outputs. Until the end of the clip, the first column holds the mean difference
/// from the picture before, without the effect of any option.
enum FloatMotionOutput : std::uint8_t { kFloatMotion2, kFloatMotion3, kFloatMotionDebug };

std::vector<std::string> float_motion_outputs(const FeatureOptions& options) {
  std::vector<std::string> names{"motion2", "motion3"};
  if (options.flag("debug")) names.emplace_back("motion");
  return names;
}

void check_float_motion(const video::PictureFormat& format, const FeatureOptions& /*any*/) {
  check_float_depth("float_motion", format.pixel.bits);
  if (format.width < kFloatMotionMinimumSize || format.height < kFloatMotionMinimumSize) {
    throw usage_error("float_motion needs pictures of at least {0}x{0} samples, not {1}x{2}",
                      kFloatMotionMinimumSize, format.width, format.height);
  }
}

std::size_t one_picture_back(const FeatureOptions& /*any*/) {
  return 1;
}

double blended_float_motion(double motion, const FeatureOptions& options) {
  const double factor = options.real("motion_blend_factor");
  return motion * factor + (1 - factor) * std::min(options.real("motion_blend_offset"), motion);
}

void finish_float_motion(const FeatureOptions& options,
                         std::span<const std::span<double>> columns) {
  const std::vector<double> change(columns[kFloatMotion2].begin(), columns[kFloatMotion2].end());
  const double weight = options.real("motion_fps_weight");
  const double most = options.real("motion_max_val");
  for (std::size_t i = 0; i < change.size(); ++i) {
    if (options.flag("debug")) columns[kFloatMotionDebug][i] = std::min(change[i] * weight, most);
    // Takes the smaller change into or out of a picture, so that a scene cut counts for neither
    // side.
    const double smaller = i + 1 < change.size() ? std::min(change[i], change[i + 1]) : change[i];
    columns[kFloatMotion2][i] = std::min(smaller * weight, most);
    // The first picture has no change into it, so its motion3 uses the second one's change.
    const double known = i == 0 && change.size() > 1 ? change[1] : smaller;
    columns[kFloatMotion3][i] = std::min(blended_float_motion(known * weight, options), most);
  }
}

constexpr int kFloatMotionRowsPerPiece = 32;

class FloatMotionKernel final : public PairKernel {
 public:
  FloatMotionKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
                    std::size_t threads, const FloatMotionRowFunctions& rows)
      : format_(format),
        rows_(rows),
        requests_(requests.begin(), requests.end()),
        previous_(format.width, format.height),
        current_(format.width, format.height),
        row_sums_(static_cast<std::size_t>(format.height)) {
    const FloatFilterRow row(format.width);
    scratch_.resize(threads, {row, row, row});
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    score_in_clip(reference, distorted, {}, team, scores);
  }

  void score_in_clip(const video::Picture& reference, const video::Picture& /*distorted*/,
                     std::span<const video::Picture* const> earlier, ThreadTeam& team,
                     std::span<double> scores) override {
    const bool needed = std::ranges::any_of(requests_, [](const FeatureRequest& request) {
      return !request.options.flag("motion_force_zero");
    });
    const double change =
        needed && !earlier.empty() ? mean_difference(*earlier.front(), reference, team) : 0;
    for (const FeatureRequest& request : requests_) {
      const std::size_t outputs = request.options.flag("debug") ? 3 : 2;
      std::ranges::fill(scores.first(outputs), 0);
      if (!request.options.flag("motion_force_zero")) scores[kFloatMotion2] = change;
      scores = scores.subspan(outputs);
    }
  }

 private:
  struct Scratch {
    FloatFilterRow vertical;
    FloatFilterRow previous;
    FloatFilterRow current;
  };

  void blur(const FloatPlane& plane, int y, FloatFilterRow& vertical, FloatFilterRow& to) const {
    rows_.filter_rows(float_tap_rows(plane, y, kFloatMotionBlur.taps), format_.width,
                      kFloatMotionBlur, vertical);
    rows_.filter_columns(vertical, format_.width, 1, kFloatMotionBlur, to.data());
  }

  /// Returns the mean difference of the blurred pictures, in 8-bit levels.
  double mean_difference(const video::Picture& previous, const video::Picture& current,
                         ThreadTeam& team) {
    const RowRange rows{0, format_.height};
    team.run_rows(rows, kFloatMotionRowsPerPiece, [&](int y, std::size_t) {
      centred_luma_to_float(previous, y, previous_.row(y));
      centred_luma_to_float(current, y, current_.row(y));
    });
    team.run_rows(rows, kFloatMotionRowsPerPiece, [&](int y, std::size_t thread) {
      Scratch& scratch = scratch_[thread];
      blur(previous_, y, scratch.vertical, scratch.previous);
      blur(current_, y, scratch.vertical, scratch.current);
      row_sums_[static_cast<std::size_t>(y)] =
          rows_.sum_differences(scratch.previous.data(), scratch.current.data(), format_.width);
    });
    // The rows must be added top to bottom, because the sum is in binary32.
    float sum = 0;
    for (const float row : row_sums_) sum += row;
    return double{sum / static_cast<float>(format_.width * format_.height)};
  }

  video::PictureFormat format_;
  const FloatMotionRowFunctions& rows_;
  std::vector<FeatureRequest> requests_;
  FloatPlane previous_;
  FloatPlane current_;
  std::vector<float> row_sums_;
  std::vector<Scratch> scratch_;  // working memory, one per thread
};

float sum_float_differences(const float* a, const float* b, int width) {
  float sum = 0;
  for (int x = 0; x < width; ++x) sum += std::abs(a[x] - b[x]);
  return sum;
}

std::unique_ptr<PairKernel> make_scalar_float_motion(const video::PictureFormat& format,
                                                     std::span<const FeatureRequest> requests,
                                                     std::size_t threads) {
  static constexpr FloatMotionRowFunctions kRows{filter_float_rows, filter_float_columns,
                                                 sum_float_differences};
  return make_float_motion_kernel(format, requests, threads, kRows);
}

}  // namespace

std::unique_ptr<PairKernel> make_float_motion_kernel(const video::PictureFormat& format,
                                                     std::span<const FeatureRequest> requests,
                                                     std::size_t threads,
                                                     const FloatMotionRowFunctions& rows) {
  return std::make_unique<FloatMotionKernel>(format, requests, threads, rows);
}

const FeatureFamily& float_motion_family() {
  static constexpr std::array kFeatures{
      Feature{"float_motion", "equal to libvmaf's scalar build", kFloatMotionOptions,
              float_motion_outputs, check_float_motion, one_picture_back, finish_float_motion}};
  static constexpr FeatureFamily kFamily{"float_motion", kFeatures, make_scalar_float_motion};
  return kFamily;
}

}  // namespace sidecore::metrics
