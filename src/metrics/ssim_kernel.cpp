#include "metrics/ssim_kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "metrics/decimation.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

constexpr OptionSpec kSsimOptions[] = {
    {"enable_lcs"},
    {"enable_db"},
    {"clip_db"},
    {.name = "scale", .type = OptionType::integer, .default_value = 0, .min = 0, .max = 10}};
constexpr OptionSpec kMsSsimOptions[] = {{"enable_lcs"}, {"enable_db"}, {"clip_db"}};

std::vector<std::string> ssim_outputs(const FeatureOptions& options) {
  if (!options.flag("enable_lcs")) return {"float_ssim"};
  return {"float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"};
}

std::vector<std::string> ms_ssim_outputs(const FeatureOptions& options) {
  std::vector<std::string> names = {"float_ms_ssim"};
  if (!options.flag("enable_lcs")) return names;
  for (const char* const mean : {"l", "c", "s"}) {
    for (int level = 0; level < kMsSsimLevels; ++level) {
      names.push_back(std::string("float_ms_ssim_") + mean + "_scale" + std::to_string(level));
    }
  }
  return names;
}

void check_ssim(const video::PictureFormat& format, const FeatureOptions& options) {
  (void)float_ssim_scale(options.integer("scale"), format);
}

void check_ms_ssim(const video::PictureFormat& format, const FeatureOptions& /*any*/) {
  check_float_ms_ssim(format);
}

constexpr Feature kSsim{"float_ssim", "equal to libvmaf", kSsimOptions, ssim_outputs, check_ssim};
constexpr Feature kMsSsim{"float_ms_ssim", "equal to libvmaf", kMsSsimOptions, ms_ssim_outputs,
                          check_ms_ssim};

class ScalarSsim final : public SsimArithmetic {
 public:
  ScalarSsim(int width, int height) : ssim_(width, height) {}

  void decimate_box(ConstFloatView from, int factor, FloatView to, RowTeam& /*one*/) override {
    metrics::decimate_box(from, factor, to);
  }
  void halve(ConstFloatView from, FloatView to, RowTeam& /*one*/) override {
    metrics::halve(from, to);
  }
  [[nodiscard]] SsimMeans means(ConstFloatView a, ConstFloatView b, const SsimParts& /*all*/,
                                RowTeam& /*one*/) override {
    return ssim_(a, b);
  }

 private:
  Ssim ssim_;
};

SsimParts& operator|=(SsimParts& parts, const SsimParts& more) {
  parts.luminance |= more.luminance;
  parts.contrast |= more.contrast;
  parts.structure |= more.structure;
  parts.ssim |= more.ssim;
  return parts;
}

struct PlanePair {
  PlanePair() = default;
  PlanePair(int width, int height) : reference(width, height), distorted(width, height) {}

  FloatPlane reference, distorted;
};

class SsimKernel final : public PairKernel {
 public:
  SsimKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
             std::unique_ptr<SsimArithmetic> arithmetic)
      : plan_(format, requests),
        arithmetic_(std::move(arithmetic)),
        reads_bytes_(format.pixel.bits == 8 && arithmetic_->reads_bytes()),
        needs_floats_(!reads_bytes_ || plan_.decimates()) {
    if (needs_floats_) luma_ = PlanePair(format.width, format.height);
    for (const int scale : plan_.decimated_scales()) {
      scaled_.emplace_back(decimated_size(format.width, scale),
                           decimated_size(format.height, scale));
    }
    if (!plan_.levels()) return;
    int width = format.width;
    int height = format.height;
    for (PlanePair& level : levels_) {
      width = decimated_size(width, 2);
      height = decimated_size(height, 2);
      level = PlanePair(width, height);
    }
  }

  void score(const video::Picture& reference, const video::Picture& distorted, RowTeam& rows,
             std::span<double> scores) override {
    if (needs_floats_) {
      rows.run(2, [&](std::size_t plane, std::size_t /*any*/) {
        if (plane == 0) luma_to_float(reference, luma_.reference.view());
        if (plane == 1) luma_to_float(distorted, luma_.distorted.view());
      });
    }
    if (plan_.undecimated()) {
      const SsimParts& needed = plan_.parts_at_scale(1);
      result_.scales[1] = result_.levels[0] =
          reads_bytes_ ? arithmetic_->means_of_bytes(reference.plane<std::uint8_t>(0),
                                                     distorted.plane<std::uint8_t>(0), needed, rows)
                       : means(luma_, needed, rows);
    }
    measure_scales(rows);
    if (plan_.levels()) measure_levels(rows);
    plan_.write_scores(result_, scores);
  }

 private:
  [[nodiscard]] SsimMeans means(const PlanePair& pair, const SsimParts& needed, RowTeam& rows) {
    return arithmetic_->means(pair.reference.view(), pair.distorted.view(), needed, rows);
  }

  void measure_scales(RowTeam& rows) {
    const PlanePair& luma = luma_;
    for (std::size_t i = 0; i < scaled_.size(); ++i) {
      const int scale = plan_.decimated_scales()[i];
      PlanePair& small = scaled_[i];
      arithmetic_->decimate_box(luma.reference.view(), scale, small.reference.view(), rows);
      arithmetic_->decimate_box(luma.distorted.view(), scale, small.distorted.view(), rows);
      result_.scales[static_cast<std::size_t>(scale)] =
          means(small, plan_.parts_at_scale(scale), rows);
    }
  }

  void measure_levels(RowTeam& rows) {
    const PlanePair* larger = &luma_;
    for (std::size_t k = 0; k < levels_.size(); ++k) {
      PlanePair& level = levels_[k];
      arithmetic_->halve(larger->reference.view(), level.reference.view(), rows);
      arithmetic_->halve(larger->distorted.view(), level.distorted.view(), rows);
      result_.levels[k + 1] = means(level, plan_.parts_on_level(k + 1), rows);
      larger = &level;
    }
  }

  SsimPlan plan_;
  std::unique_ptr<SsimArithmetic> arithmetic_;
  bool reads_bytes_;               // of pictures that are not decimated
  bool needs_floats_;              // of the pictures
  PlanePair luma_;                 // empty unless it is needed
  std::vector<PlanePair> scaled_;  // one for each of the plan's decimated scales
  std::array<PlanePair, kMsSsimLevels - 1> levels_;
  SsimResult result_;
};

std::unique_ptr<PairKernel> make_scalar_ssim(const video::PictureFormat& format,
                                             std::span<const FeatureRequest> requests,
                                             std::size_t /*threads*/) {
  return make_ssim_kernel(format, requests,
                          std::make_unique<ScalarSsim>(format.width, format.height));
}

}  // namespace

const FeatureFamily& ssim_family() {
  static constexpr std::array kFeatures{kSsim, kMsSsim};
  static constexpr FeatureFamily kFamily{"ssim", kFeatures, make_scalar_ssim};
  return kFamily;
}

SsimPlan::SsimPlan(const video::PictureFormat& format, std::span<const FeatureRequest> requests)
    : format_(format) {
  for (const FeatureRequest& request : requests) {
    const bool levels = request.feature->name == kMsSsim.name;
    FloatSsimOptions options{.enable_lcs = request.options.flag("enable_lcs"),
                             .decibel = {.enable_db = request.options.flag("enable_db"),
                                         .clip_db = request.options.flag("clip_db")}};
    if (!levels) options.scale = float_ssim_scale(request.options.integer("scale"), format_);
    planned_.push_back({levels, options, request.outputs().size()});

    levels_ |= levels;
    undecimated_ |= levels || options.scale == 1;
    if (options.scale > 1) decimated_scales_.push_back(options.scale);
    if (levels) {
      for (std::size_t level = 0; level < level_parts_.size(); ++level) {
        // The luminance of the last level alone has a weight.
        const bool last = level + 1 == level_parts_.size();
        level_parts_[level] |= {options.enable_lcs || last, true, true, false};
      }
    } else {
      const bool lcs = options.enable_lcs;
      scale_parts_[static_cast<std::size_t>(options.scale)] |= {lcs, lcs, lcs, true};
    }
  }
  scale_parts_[1] |= level_parts_[0];
  std::ranges::sort(decimated_scales_);
  decimated_scales_.erase(std::unique(decimated_scales_.begin(), decimated_scales_.end()),
                          decimated_scales_.end());
}

void SsimPlan::write_scores(const SsimResult& result, std::span<double> scores) const {
  for (const auto& [levels, options, outputs] : planned_) {
    if (levels) {
      score_float_ms_ssim(result.levels, {options.enable_lcs, options.decibel}, format_, scores);
    } else {
      score_float_ssim(result.scales[static_cast<std::size_t>(options.scale)], options, format_,
                       scores);
    }
    scores = scores.subspan(outputs);
  }
}

std::unique_ptr<PairKernel> make_ssim_kernel(const video::PictureFormat& format,
                                             std::span<const FeatureRequest> requests,
                                             std::unique_ptr<SsimArithmetic> arithmetic) {
  return std::make_unique<SsimKernel>(format, requests, std::move(arithmetic));
}

}  // namespace sidecore::metrics
