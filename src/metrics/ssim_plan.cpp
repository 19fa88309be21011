#include "metrics/ssim_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "metrics/decimation.h"

namespace sidecore::metrics {
namespace {

// Weights of the levels, as exponents of the means: luminance counts on the last one only.
constexpr std::array<float, kMsSsimLevels> kAlpha = {0.0F, 0.0F, 0.0F, 0.0F, 0.1333F};
constexpr std::array<float, kMsSsimLevels> kBeta = {0.0448F, 0.2856F, 0.3001F, 0.2363F, 0.1333F};
constexpr const auto& kGamma = kBeta;

// The score of pictures that differ by the least that can be, one sample of two levels off by one.
double highest_decibels(const video::PictureFormat& format) {
  const double peak = format.pixel.max_value();
  const double pixels = static_cast<double>(format.width) * static_cast<double>(format.height);
  return std::ceil(10.0 * std::log10(peak * peak / (0.5 / pixels)));
}

double in_units_of(const DecibelOptions& options, double score,
                   const video::PictureFormat& format) {
  if (!options.enable_db) return score;
  const double highest =
      options.clip_db ? highest_decibels(format) : std::numeric_limits<double>::infinity();
  return std::min(-10.0 * std::log10(1.0 - score), highest);
}

class ScalarSsim final : public SsimArithmetic {
 public:
  ScalarSsim(int width, int height) : ssim_(width, height) {}

  void to_float(const video::Picture& picture, FloatView luma) override {
    luma_to_float(picture, luma);
  }
  void decimate_box(ConstFloatView from, int factor, FloatView to) override {
    metrics::decimate_box(from, factor, to);
  }
  void halve(ConstFloatView from, FloatView to) override { metrics::halve(from, to); }
  [[nodiscard]] SsimMeans means(ConstFloatView a, ConstFloatView b) override { return ssim_(a, b); }

 private:
  Ssim ssim_;
};

}  // namespace

int automatic_ssim_scale(int width, int height) {
  const float sides = static_cast<float>(std::min(width, height)) / 256.0F;
  const int whole = static_cast<int>(sides);
  const int rounded = sides - static_cast<float>(whole) >= 0.5F ? whole + 1 : whole;
  return std::max(1, rounded);
}

int float_ssim_scale(int scale, const video::PictureFormat& format) {
  check_float_depth("float_ssim", format.pixel.bits);
  if (scale < 0 || scale > kMaxSsimScale) {
    throw usage_error("float_ssim: scale is 0 (automatic) to {}, not {}", kMaxSsimScale, scale);
  }
  const int factor = scale > 0 ? scale : automatic_ssim_scale(format.width, format.height);
  const int shorter = std::min(format.width, format.height);
  // Taps beyond a border are mirrored once.
  const bool decimable = factor == 1 || shorter > factor;
  if (!decimable || std::min(decimated_size(format.width, factor),
                             decimated_size(format.height, factor)) < kSsimWindow) {
    throw usage_error("float_ssim: {}x{} at scale {} is smaller than its window of {}x{} samples",
                      format.width, format.height, factor, kSsimWindow, kSsimWindow);
  }
  return factor;
}

void check_float_ms_ssim(const video::PictureFormat& format) {
  check_float_depth("float_ms_ssim", format.pixel.bits);
  constexpr int kSmallest = kSsimWindow << (kMsSsimLevels - 1);
  if (std::min(format.width, format.height) < kSmallest) {
    throw usage_error("float_ms_ssim needs pictures of at least {}x{}, not {}x{}", kSmallest,
                      kSmallest, format.width, format.height);
  }
}

void score_float_ssim(const SsimMeans& means, const FloatSsimOptions& options,
                      const video::PictureFormat& format, std::span<double> scores) {
  scores[0] = in_units_of(options.decibel, means.ssim, format);
  if (!options.enable_lcs) return;
  scores[1] = means.luminance;
  scores[2] = means.contrast;
  scores[3] = means.structure;
}

void score_float_ms_ssim(std::span<const SsimMeans, kMsSsimLevels> levels,
                         const FloatMsSsimOptions& options, const video::PictureFormat& format,
                         std::span<double> scores) {
  double score = 1;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const double l = levels[k].luminance;
    const double c = levels[k].contrast;
    const double s = levels[k].structure;
    score *= std::pow(l, static_cast<double>(kAlpha[k])) *
             std::pow(c, static_cast<double>(kBeta[k])) *
             std::pow(s, static_cast<double>(kGamma[k]));
    if (options.enable_lcs) {
      scores[1 + k] = l;
      scores[1 + levels.size() + k] = c;
      scores[1 + 2 * levels.size() + k] = s;
    }
  }
  scores[0] = in_units_of(options.decibel, score, format);
}

std::unique_ptr<SsimArithmetic> scalar_ssim_arithmetic(int width, int height) {
  return std::make_unique<ScalarSsim>(width, height);
}

HostSsim::HostSsim(const video::PictureFormat& format, SsimPlan plan,
                   std::unique_ptr<SsimArithmetic> arithmetic)
    : plan_(std::move(plan)), arithmetic_(std::move(arithmetic)) {
  const auto pair = [](int width, int height) {
    return PlanePair{FloatPlane(width, height), FloatPlane(width, height)};
  };
  luma_ = pair(format.width, format.height);
  for (const int scale : plan_.scales) {
    scaled_.push_back(scale == 1 ? PlanePair{}
                                 : pair(decimated_size(format.width, scale),
                                        decimated_size(format.height, scale)));
  }
  if (!plan_.levels) return;
  int width = format.width;
  int height = format.height;
  for (PlanePair& level : levels_) {
    width = decimated_size(width, 2);
    height = decimated_size(height, 2);
    level = pair(width, height);
  }
}

SsimMeans HostSsim::means(const PlanePair& pair) {
  return arithmetic_->means(pair.reference.view(), pair.distorted.view());
}

const SsimResult& HostSsim::measure(const video::Picture& reference,
                                    const video::Picture& distorted) {
  arithmetic_->to_float(reference, luma_.reference.view());
  arithmetic_->to_float(distorted, luma_.distorted.view());
  const bool undecimated = plan_.levels || std::ranges::find(plan_.scales, 1) != plan_.scales.end();
  if (undecimated) result_.scales[1] = result_.levels[0] = means(luma_);
  for (std::size_t i = 0; i < plan_.scales.size(); ++i) {
    const int scale = plan_.scales[i];
    if (scale == 1) continue;
    PlanePair& small = scaled_[i];
    arithmetic_->decimate_box(std::as_const(luma_.reference).view(), scale, small.reference.view());
    arithmetic_->decimate_box(std::as_const(luma_.distorted).view(), scale, small.distorted.view());
    result_.scales[static_cast<std::size_t>(scale)] = means(small);
  }
  if (!plan_.levels) return result_;
  const PlanePair* larger = &luma_;
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    arithmetic_->halve(larger->reference.view(), levels_[k].reference.view());
    arithmetic_->halve(larger->distorted.view(), levels_[k].distorted.view());
    larger = &levels_[k];
    result_.levels[k + 1] = means(*larger);
  }
  return result_;
}

}  // namespace sidecore::metrics
