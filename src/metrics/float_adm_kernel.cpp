#include "metrics/float_adm_kernel.h"

#include <algorithm>
#include <array>

#include "metrics/families.h"
#include "metrics/float_adm_sums.h"

namespace sidecore::metrics {
namespace {

constexpr AdmOptions kDefaults;
// Options of float_adm. Names, ranges and abbreviations equal libvmaf's.
constexpr std::array kOptions{
    OptionSpec{.name = "debug", .adds_outputs = true},
    OptionSpec{"adm_enhn_gain_limit", OptionType::real, kDefaults.enhancement_gain_limit, 1, 100,
               "egl"},
    OptionSpec{"adm_norm_view_dist", OptionType::real, kDefaults.view_distance, 0.75, 24, "nvd"},
    OptionSpec{"adm_ref_display_height", OptionType::integer,
               static_cast<double>(kDefaults.display_height), 1, 4320, "rdf"},
    OptionSpec{"adm_csf_mode", OptionType::integer, static_cast<double>(kDefaults.csf_mode), 0, 9,
               "csf"},
    OptionSpec{"adm_noise_weight", OptionType::real, kDefaults.noise_weight, 0, 1500, "nw"},
    OptionSpec{"adm_p_norm", OptionType::real, kDefaults.p_norm, 1, 20, "apn"},
    OptionSpec{"adm_dlm_weight", OptionType::real, kDefaults.detail_loss_weight, 0, 1, "dlmw"},
    OptionSpec{"adm_min_val", OptionType::real, kDefaults.min_value, 0, 1, "min"}};

AdmOptions adm_options(const FeatureOptions& options) {
  return {.enhancement_gain_limit = options.real("adm_enhn_gain_limit"),
          .view_distance = options.real("adm_norm_view_dist"),
          .display_height = options.integer("adm_ref_display_height"),
          .csf_mode = options.integer("adm_csf_mode"),
          .noise_weight = options.real("adm_noise_weight"),
          .p_norm = options.real("adm_p_norm"),
          .detail_loss_weight = options.real("adm_dlm_weight"),
          .min_value = options.real("adm_min_val")};
}

std::vector<std::string> float_adm_outputs(const FeatureOptions& options) {
  std::vector<std::string> names{"adm2",       "aim",        "adm3",      "adm_scale0",
                                 "adm_scale1", "adm_scale2", "adm_scale3"};
  if (options.flag("debug")) {
    names.insert(names.end(), {"adm", "adm_num", "adm_den"});
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      names.push_back("adm_num_scale" + std::to_string(k));
      names.push_back("adm_den_scale" + std::to_string(k));
    }
  }
  return names;
}

void check_float_adm_request(const video::PictureFormat& format, const FeatureOptions& options) {
  check_float_adm_format(format);
  check_float_adm_options(adm_options(options));
}

std::unique_ptr<AdmSummer> make_summer(const video::PictureFormat& format,
                                       const AdmOptions& options, std::size_t threads) {
  return std::make_unique<FloatAdm>(format, options, threads);
}

std::unique_ptr<PairKernel> make_scalar_float_adm(const video::PictureFormat& format,
                                                  std::span<const FeatureRequest> requests,
                                                  std::size_t threads) {
  return make_float_adm_kernel(format, requests, threads, make_summer);
}

class FloatAdmKernel final : public PairKernel {
 public:
  FloatAdmKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
                 std::size_t threads, MakeAdmSummer make)
      : format_(format), requests_(requests), sums_(requests_.sums.size()) {
    for (const AdmOptions& options : requests_.sums) {
      summers_.push_back(make(format, options, threads));
    }
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) override {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] = summers_[i]->sums(reference, distorted, rows);
    }
    for (const AdmRequests::Request& request : requests_.requests) {
      scores =
          scores.subspan(write_adm_outputs(sums_[request.sums], format_, request.request, scores));
    }
  }

 private:
  video::PictureFormat format_;
  AdmRequests requests_;
  std::vector<std::unique_ptr<AdmSummer>> summers_;
  std::vector<AdmSums> sums_;
};

}  // namespace

AdmOptions adm_options(const FeatureRequest& request) {
  return adm_options(request.options);
}

bool can_share_adm_sums(const AdmOptions& a, const AdmOptions& b) {
  return a.enhancement_gain_limit == b.enhancement_gain_limit &&
         a.view_distance == b.view_distance && a.display_height == b.display_height &&
         a.csf_mode == b.csf_mode && a.p_norm == b.p_norm;
}

std::size_t write_adm_outputs(const AdmSums& sums, const video::PictureFormat& format,
                              const FeatureRequest& request, std::span<double> outputs) {
  const AdmScores scores = float_adm(sums, format, adm_options(request));
  std::size_t count = 0;
  const auto write = [&](double value) { outputs[count++] = value; };
  write(scores.adm2);
  write(scores.aim);
  write(scores.adm3);
  std::ranges::for_each(scores.scale, write);
  if (request.options.flag("debug")) {
    write(scores.adm2);
    write(scores.numerator);
    write(scores.denominator);
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      write(scores.scale_numerator[k]);
      write(scores.scale_denominator[k]);
    }
  }
  return count;
}

AdmRequests::AdmRequests(std::span<const FeatureRequest> all) {
  for (const FeatureRequest& request : all) {
    const AdmOptions options = adm_options(request);
    const auto same = std::ranges::find_if(
        sums, [&](const AdmOptions& other) { return can_share_adm_sums(options, other); });
    requests.push_back({request, static_cast<std::size_t>(same - sums.begin())});
    if (same == sums.end()) sums.push_back(options);
  }
}

const FeatureFamily& float_adm_family() {
  static constexpr std::array kFeatures{Feature{"float_adm", "within 2e-7 of libvmaf on x86",
                                                kOptions, float_adm_outputs,
                                                check_float_adm_request}};
  static constexpr FeatureFamily kFamily{"float_adm", kFeatures, make_scalar_float_adm};
  return kFamily;
}

std::unique_ptr<PairKernel> make_float_adm_kernel(const video::PictureFormat& format,
                                                  std::span<const FeatureRequest> requests,
                                                  std::size_t threads, MakeAdmSummer make) {
  return std::make_unique<FloatAdmKernel>(format, requests, threads, make);
}

}  // namespace sidecore::metrics
