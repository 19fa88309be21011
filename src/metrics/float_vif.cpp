#include "metrics/float_vif.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

// Options of float_vif. Names, ranges and abbreviations equal libvmaf's.
constexpr std::array kFloatVifOptions{
    OptionSpec{.name = "debug", .adds_outputs = true},
    OptionSpec{"vif_enhn_gain_limit", OptionType::real, 100, 1, 100, "egl"},
    OptionSpec{"vif_scale1_min_val", OptionType::real, 0, 0, 1, "s1miv"},
    OptionSpec{"vif_scale2_min_val", OptionType::real, 0, 0, 1, "s2miv"},
    OptionSpec{"vif_scale3_min_val", OptionType::real, 0, 0, 1, "s3miv"},
    OptionSpec{"vif_sigma_nsq", OptionType::real, 2, 0, 5, "snsq"}};

std::vector<std::string> float_vif_outputs(const FeatureOptions& options) {
  std::vector<std::string> names{"vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"};
  if (options.flag("debug")) {
    names.insert(names.end(), {"vif", "vif_num", "vif_den"});
    for (std::size_t k = 0; k < kFloatVifScales; ++k) {
      names.push_back("vif_num_scale" + std::to_string(k));
      names.push_back("vif_den_scale" + std::to_string(k));
    }
  }
  return names;
}

void check_float_vif(const video::PictureFormat& format, const FeatureOptions& /*any*/) {
  check_float_depth("float_vif", format.pixel.bits);
  if (format.width < kFloatVifMinimumSize || format.height < kFloatVifMinimumSize) {
    throw usage_error("float_vif needs pictures of at least {0}x{0} samples, not {1}x{2}",
                      kFloatVifMinimumSize, format.width, format.height);
  }
}

FloatVifModel float_vif_model(const FeatureOptions& options) {
  const double noise = options.real("vif_sigma_nsq");
  const auto squared = static_cast<float>(noise) * static_cast<float>(noise);
  return {static_cast<float>(options.real("vif_enhn_gain_limit")), noise,
          static_cast<float>(double{squared} / (255.0 * 255.0))};
}

std::array<FloatFilter, kFloatVifScales> float_vif_filters() {
  std::array<FloatFilter, kFloatVifScales> filters;
  for (std::size_t k = 0; k < kFloatVifScales; ++k) {
    const int taps = (16 >> k) + 1;
    filters[k].taps = taps;
    fill_gaussian(static_cast<float>(taps) / 5.0F,
                  std::span(filters[k].tap).first(static_cast<std::size_t>(taps)));
  }
  return filters;
}

constexpr int kFloatVifRowsPerPiece = 16;

class FloatVifKernel final : public PairKernel {
 public:
  FloatVifKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
                 std::size_t threads, const FloatVifRowFunctions& rows)
      : rows_(rows),
        requests_(requests.begin(), requests.end()),
        row_sums_(static_cast<std::size_t>(format.height)) {
    for (const FeatureRequest& request : requests) {
      const FloatVifModel model = float_vif_model(request.options);
      const auto same = std::ranges::find(models_, model);
      model_of_request_.push_back(static_cast<std::size_t>(same - models_.begin()));
      if (same == models_.end()) models_.push_back(model);
    }
    for (std::size_t k = 0; k < kFloatVifScales; ++k) {
      reference_[k] = distorted_[k] = FloatPlane(format.width >> k, format.height >> k);
    }
    for (std::vector<FloatVifSums>& sums : row_sums_) sums.resize(models_.size());
    sums_.resize(models_.size());
    const FloatVifRows row(format.width);
    scratch_.resize(threads, {row, row});
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    team.run_rows({0, reference_[0].height()}, kFloatVifRowsPerPiece, [&](int y, std::size_t) {
      centred_luma_to_float(reference, y, reference_[0].row(y));
      centred_luma_to_float(distorted, y, distorted_[0].row(y));
    });
    for (std::size_t k = 0; k < kFloatVifScales; ++k) {
      if (k > 0) {
        decimate(k, team, reference_);
        decimate(k, team, distorted_);
      }
      sum_scale(k, team);
    }
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      scores =
          scores.subspan(write_scores(sums_[model_of_request_[i]], requests_[i].options, scores));
    }
  }

 private:
  struct Scratch {
    FloatVifRows vertical;
    FloatVifRows both;
  };
  using Sums = std::array<FloatVifSums, kFloatVifScales>;

  /// Writes a request's scores in the order of its outputs, and returns their number.
  static std::size_t write_scores(const Sums& sums, const FeatureOptions& options,
                                  std::span<double> outputs) {
    std::size_t count = 0;
    double numerators = 0;
    double denominators = 0;
    for (const FloatVifSums& scale : sums) {
      outputs[count++] = double{scale.kept} / double{scale.there};
      numerators += double{scale.kept};
      denominators += double{scale.there};
    }
    outputs[1] = std::max(outputs[1], options.real("vif_scale1_min_val"));
    outputs[2] = std::max(outputs[2], options.real("vif_scale2_min_val"));
    outputs[3] = std::max(outputs[3], options.real("vif_scale3_min_val"));
    if (!options.flag("debug")) return count;
    outputs[count++] = denominators == 0 ? 1 : numerators / denominators;
    outputs[count++] = numerators;
    outputs[count++] = denominators;
    for (const FloatVifSums& scale : sums) {
      outputs[count++] = double{scale.kept};
      outputs[count++] = double{scale.there};
    }
    return count;
  }

  /// Makes plane k from plane k - 1, blurred with the filter of scale k.
  void decimate(std::size_t k, ThreadTeam& team, std::array<FloatPlane, kFloatVifScales>& planes) {
    const FloatPlane& from = planes[k - 1];
    FloatPlane& to = planes[k];
    const FloatFilter& filter = filters_[k];
    team.run_rows({0, to.height()}, kFloatVifRowsPerPiece, [&](int y, std::size_t thread) {
      FloatVifRows& scratch = scratch_[thread].vertical;
      rows_.filter_rows(float_tap_rows(from, 2 * y, filter.taps), from.width(), filter,
                        scratch.mean1);
      rows_.filter_columns(scratch.mean1, to.width(), 2, filter, scratch.mean2.data());
      std::copy_n(scratch.mean2.data(), to.width(), to.row(y));
    });
  }

  void sum_scale(std::size_t k, ThreadTeam& team) {
    const FloatPlane& reference = reference_[k];
    const FloatPlane& distorted = distorted_[k];
    const FloatFilter& filter = filters_[k];
    const int width = reference.width();
    team.run_rows({0, reference.height()}, kFloatVifRowsPerPiece, [&](int y, std::size_t thread) {
      auto& [vertical, both] = scratch_[thread];
      rows_.filter_moments(float_tap_rows(reference, y, filter.taps),
                           float_tap_rows(distorted, y, filter.taps), width, filter, vertical);
      for (const auto moment : {&FloatVifRows::mean1, &FloatVifRows::mean2, &FloatVifRows::square1,
                                &FloatVifRows::square2, &FloatVifRows::product}) {
        rows_.filter_columns(vertical.*moment, width, 1, filter, (both.*moment).data());
      }
      for (std::size_t i = 0; i < models_.size(); ++i) {
        row_sums_[static_cast<std::size_t>(y)][i] = rows_.sum_windows(both, width, models_[i]);
      }
    });
    // The rows must be added top to bottom, because the sums are in binary32.
    for (std::size_t i = 0; i < models_.size(); ++i) {
      FloatVifSums& sum = sums_[i][k] = {};
      for (int y = 0; y < reference.height(); ++y) {
        const FloatVifSums& row = row_sums_[static_cast<std::size_t>(y)][i];
        sum.kept += row.kept;
        sum.there += row.there;
      }
    }
  }

  const FloatVifRowFunctions& rows_;
  std::array<FloatFilter, kFloatVifScales> filters_ = float_vif_filters();
  std::vector<FeatureRequest> requests_;
  std::vector<FloatVifModel> models_;  // the distinct models of all requests
  std::vector<std::size_t> model_of_request_;
  std::array<FloatPlane, kFloatVifScales> reference_;
  std::array<FloatPlane, kFloatVifScales> distorted_;
  std::vector<Scratch> scratch_;                     // working memory, one per thread
  std::vector<std::vector<FloatVifSums>> row_sums_;  // for each row, one element per model
  std::vector<Sums> sums_;                           // sums over all rows, one per model
};

std::unique_ptr<PairKernel> make_scalar_float_vif(const video::PictureFormat& format,
                                                  std::span<const FeatureRequest> requests,
                                                  std::size_t threads) {
  return make_float_vif_kernel(format, requests, threads, float_vif_rows());
}

}  // namespace

std::unique_ptr<PairKernel> make_float_vif_kernel(const video::PictureFormat& format,
                                                  std::span<const FeatureRequest> requests,
                                                  std::size_t threads,
                                                  const FloatVifRowFunctions& rows) {
  return std::make_unique<FloatVifKernel>(format, requests, threads, rows);
}

const FeatureFamily& float_vif_family() {
  static constexpr std::array kFeatures{Feature{"float_vif", "equal to libvmaf's scalar build",
                                                kFloatVifOptions, float_vif_outputs,
                                                check_float_vif}};
  static constexpr FeatureFamily kFamily{"float_vif", kFeatures, make_scalar_float_vif};
  return kFamily;
}

}  // namespace sidecore::metrics
