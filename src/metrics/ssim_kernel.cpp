#include "metrics/ssim_kernel.h"

#include <algorithm>
#include <string>
#include <utility>

#include "metrics/decimation.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

constexpr OptionSpec kSsimOptions[] = {
    {.name = "enable_lcs", .adds_outputs = true},
    {"enable_db"},
    {"clip_db"},
    {.name = "scale", .type = OptionType::integer, .default_value = 0, .min = 0, .max = 10}};
constexpr OptionSpec kMsSsimOptions[] = {
    {.name = "enable_lcs", .adds_outputs = true}, {"enable_db"}, {"clip_db"}};

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

  void decimate_box(ConstFloatView from, int factor, FloatView to, ThreadTeam& /*one*/) override {
    metrics::decimate_box(from, factor, to);
  }
  void halve(ConstFloatView from, FloatView to, ThreadTeam& /*one*/) override {
    metrics::halve(from, to);
  }
  [[nodiscard]] SsimMeans means(ConstFloatView a, ConstFloatView b, const SsimParts& /*all*/,
                                ThreadTeam& /*one*/) override {
    return ssim_(a, b);
  }
  [[nodiscard]] float mean_in_order(ConstFloatView a, ConstFloatView b, SsimPart part) override {
    return ssim_(a, b).*kSsimMeans[static_cast<std::size_t>(part)];
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

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) override {
    if (needs_floats_) convert(reference, distorted, rows);
    if (plan_.undecimated()) {
      const SsimParts& needed = plan_.parts(place_of_scale(1));
      result_[place_of_scale(1)] =
          reads_bytes_ ? arithmetic_->means_of_bytes(reference.plane<std::uint8_t>(0),
                                                     distorted.plane<std::uint8_t>(0), needed, rows)
                       : means(luma_, needed, rows);
    }
    measure_scales(rows);
    if (plan_.levels()) measure_levels(rows);
    plan_.write_scores(result_, scores);
  }

  void recompute_exactly(const video::Picture& reference, const video::Picture& distorted,
                         ThreadTeam& rows, std::span<const std::size_t> numbers,
                         std::span<double> values) override {
    assert(std::ranges::is_sorted(numbers) && numbers.size() == values.size());
    const std::size_t last_undecimated = ssim_value(place_of_scale(1), kSsimParts.size() - 1);
    if (!reads_bytes_ || numbers.back() > last_undecimated) convert(reference, distorted, rows);
    std::size_t made = place_of_scale(1);  // index of the last pair of planes that exists
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t place = numbers[i] / kSsimParts.size();
      const auto part = static_cast<SsimPart>(numbers[i] % kSsimParts.size());
      if (place == place_of_scale(1) && reads_bytes_) {
        values[i] = arithmetic_->mean_of_bytes_in_order(reference.plane<std::uint8_t>(0),
                                                        distorted.plane<std::uint8_t>(0), part);
        continue;
      }
      const PlanePair& pair = place == made ? planes(place) : make(place, made, rows);
      values[i] = arithmetic_->mean_in_order(pair.reference.view(), pair.distorted.view(), part);
      made = place;
    }
  }

 private:
  void convert(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows) {
    rows.run(2, [&](std::size_t plane, std::size_t /*any*/) {
      if (plane == 0) luma_to_float(reference, luma_.reference.view());
      if (plane == 1) luma_to_float(distorted, luma_.distorted.view());
    });
  }

  [[nodiscard]] PlanePair& planes(std::size_t place) {
    if (place == place_of_scale(1)) return luma_;
    if (place > kMaxSsimScale) return levels_[place - kMaxSsimScale - 1];
    const auto found = std::ranges::find(plan_.decimated_scales(), static_cast<int>(place)) -
                       plan_.decimated_scales().begin();
    return scaled_[static_cast<std::size_t>(found)];
  }

  /// Makes the planes of a scale; for a level, makes all levels after `made` up to it.
  PlanePair& make(std::size_t place, std::size_t made, ThreadTeam& rows) {
    if (place <= kMaxSsimScale) return box(place, rows);
    for (std::size_t level = std::max<std::size_t>(made, kMaxSsimScale) + 1; level < place; ++level)
      halve(level, rows);
    return halve(place, rows);
  }

  PlanePair& box(std::size_t place, ThreadTeam& rows) {
    PlanePair& small = planes(place);
    const auto scale = static_cast<int>(place);
    arithmetic_->decimate_box(luma_.reference.view(), scale, small.reference.view(), rows);
    arithmetic_->decimate_box(luma_.distorted.view(), scale, small.distorted.view(), rows);
    return small;
  }

  PlanePair& halve(std::size_t place, ThreadTeam& rows) {
    const PlanePair& larger = place == place_of_level(1) ? luma_ : planes(place - 1);
    PlanePair& level = planes(place);
    arithmetic_->halve(larger.reference.view(), level.reference.view(), rows);
    arithmetic_->halve(larger.distorted.view(), level.distorted.view(), rows);
    return level;
  }

  [[nodiscard]] SsimMeans means(const PlanePair& pair, const SsimParts& needed, ThreadTeam& rows) {
    return arithmetic_->means(pair.reference.view(), pair.distorted.view(), needed, rows);
  }

  void measure_scales(ThreadTeam& rows) {
    for (const int scale : plan_.decimated_scales()) {
      const std::size_t place = place_of_scale(scale);
      result_[place] = means(box(place, rows), plan_.parts(place), rows);
    }
  }

  void measure_levels(ThreadTeam& rows) {
    for (std::size_t level = 1; level < kMsSsimLevels; ++level) {
      const std::size_t place = place_of_level(level);
      result_[place] = means(halve(place, rows), plan_.parts(place), rows);
    }
  }

  SsimPlan plan_;
  std::unique_ptr<SsimArithmetic> arithmetic_;
  bool reads_bytes_;               // true if undecimated 8-bit pictures are read directly
  bool needs_floats_;              // true if the pictures are converted to binary32
  PlanePair luma_;                 // luma in binary32; empty unless it is needed
  std::vector<PlanePair> scaled_;  // planes of each decimated scale of the plan
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
      for (std::size_t level = 0; level < kMsSsimLevels; ++level) {
        // Luminance is needed only on the last level, because only its mean has a weight.
        const bool last = level + 1 == kMsSsimLevels;
        parts_[place_of_level(level)] |= {options.enable_lcs || last, true, true, false};
      }
    } else {
      const bool lcs = options.enable_lcs;
      parts_[place_of_scale(options.scale)] |= {lcs, lcs, lcs, true};
    }
  }
  std::ranges::sort(decimated_scales_);
  decimated_scales_.erase(std::unique(decimated_scales_.begin(), decimated_scales_.end()),
                          decimated_scales_.end());
}

void SsimPlan::write_scores(const SsimResult& result, std::span<double> scores) const {
  for (const auto& [levels, options, outputs] : planned_) {
    if (levels) {
      std::array<SsimMeans, kMsSsimLevels> means;
      for (std::size_t k = 0; k < means.size(); ++k) means[k] = result[place_of_level(k)];
      score_float_ms_ssim(means, {options.enable_lcs, options.decibel}, format_, scores);
    } else {
      score_float_ssim(result[place_of_scale(options.scale)], options, format_, scores);
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
