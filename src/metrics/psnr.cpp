#include "metrics/psnr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

// Options of psnr. Names, ranges and defaults equal libvmaf's.
constexpr std::array kPsnrOptions{
    OptionSpec{.name = "enable_chroma", .default_value = 1, .adds_outputs = true},
    OptionSpec{.name = "enable_mse", .adds_outputs = true}, OptionSpec{.name = "reduced_hbd_peak"},
    OptionSpec{"min_sse", OptionType::real, 0, 0, std::numeric_limits<double>::max()}};

std::vector<std::string> psnr_outputs(const FeatureOptions& options) {
  std::vector<std::string> names;
  for (const char* const plane : {"y", "cb", "cr"}) {
    names.push_back(std::string("psnr_") + plane);
    if (options.flag("enable_mse")) names.push_back(std::string("mse_") + plane);
    if (!options.flag("enable_chroma")) break;
  }
  return names;
}

void check_psnr(const video::PictureFormat& format, const FeatureOptions& options) {
  const int bits = format.pixel.bits;
  if (bits != 8 && bits != 10 && bits != 12 && bits != 16) {
    throw usage_error("psnr is defined for 8, 10, 12 and 16 bits a sample, not for {}", bits);
  }
  if (!options.flag("enable_chroma")) return;
  if (format.pixel.chroma == video::Chroma::c400) {
    throw usage_error("psnr of luma-only pictures needs enable_chroma=false");
  }
  if (psnr_plane(format, 1).samples() == 0) {
    throw usage_error("psnr needs chroma planes; those of {} are empty", to_string(format));
  }
}

/// Highest score in dB: that of identical planes, or of planes with the error min_sse.
double highest_psnr(const video::PictureFormat& format, const FeatureOptions& options,
                    const PsnrPlane& plane) {
  const double error = options.real("min_sse");
  if (error == 0) return 6 * format.pixel.bits + 12;
  return std::ceil(10 * std::log10(squared_peak(format, options) / (error / plane.samples())));
}

class PsnrKernel final : public PairKernel {
 public:
  PsnrKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
             SquaredErrorSummer summer)
      : format_(format), requests_(requests.begin(), requests.end()), summer_(summer) {
    const bool reads_chroma = std::ranges::any_of(requests_, [](const FeatureRequest& request) {
      return request.options.flag("enable_chroma");
    });
    for (int plane = 0; plane < (reads_chroma ? 3 : 1); ++plane) {
      planes_.push_back(psnr_plane(format, plane));
    }
    sums_.resize(static_cast<std::size_t>((format.height + kBandRows - 1) / kBandRows));
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) override {
    std::array<SquaredErrorSum, 3> sums{};
    for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
      sums[plane] = sum_of_plane(reference, distorted, static_cast<int>(plane), rows);
    }
    for (const FeatureRequest& request : requests_) {
      const FeatureOptions& options = request.options;
      const std::size_t count = options.flag("enable_chroma") ? 3 : 1;
      for (std::size_t plane = 0; plane < count; ++plane) {
        const double error = static_cast<double>(sums[plane]) / planes_[plane].samples();
        scores.front() =
            std::min(10 * std::log10(squared_peak(format_, options) / std::max(error, 1e-16)),
                     highest_psnr(format_, options, planes_[plane]));
        scores = scores.subspan(1);
        if (!options.flag("enable_mse")) continue;
        scores.front() = error;
        scores = scores.subspan(1);
      }
    }
  }

 private:
  static constexpr int kBandRows = 64;

  SquaredErrorSum sum_of_plane(const video::Picture& reference, const video::Picture& distorted,
                               int plane, ThreadTeam& rows) {
    const int height = planes_[static_cast<std::size_t>(plane)].height;
    const auto bands = static_cast<std::size_t>((height + kBandRows - 1) / kBandRows);
    rows.run(bands, [&](std::size_t piece, std::size_t) {
      sums_[piece] = sum_of_band(reference, distorted, plane, static_cast<int>(piece) * kBandRows);
    });
    return std::accumulate(sums_.begin(), sums_.begin() + static_cast<std::ptrdiff_t>(bands),
                           SquaredErrorSum{0});
  }

  template <class Sample>
  [[nodiscard]] video::PlaneView<const Sample> band(const video::Picture& picture, int plane,
                                                    int first) const {
    const video::PlaneView<const Sample> all = picture.plane<Sample>(plane);
    const auto& [width, height] = planes_[static_cast<std::size_t>(plane)];
    return {all.row(first), width, std::min(kBandRows, height - first), all.stride};
  }

  [[nodiscard]] SquaredErrorSum sum_of_band(const video::Picture& reference,
                                            const video::Picture& distorted, int plane,
                                            int first) const {
    if (format_.pixel.bits == 8) {
      return summer_.bytes(band<std::uint8_t>(reference, plane, first),
                           band<std::uint8_t>(distorted, plane, first));
    }
    const auto a = band<std::uint16_t>(reference, plane, first);
    const auto b = band<std::uint16_t>(distorted, plane, first);
    return format_.pixel.bits == 16 ? summer_.exact_words(a, b)
                                    : summer_.words(a, b, format_.pixel.bits);
  }

  video::PictureFormat format_;
  std::vector<FeatureRequest> requests_;
  SquaredErrorSummer summer_;
  std::vector<PsnrPlane> planes_;      // planes that the requests read
  std::vector<SquaredErrorSum> sums_;  // sums of the current plane's bands
};

std::unique_ptr<PairKernel> make_scalar_psnr(const video::PictureFormat& format,
                                             std::span<const FeatureRequest> requests,
                                             std::size_t /*threads*/) {
  return make_psnr_kernel(format, requests,
                          {squared_error_sum, squared_error_sum, exact_squared_error_sum});
}

}  // namespace

const FeatureFamily& psnr_family() {
  static constexpr std::array kFeatures{Feature{.name = "psnr",
                                                .exactness = "equal to libvmaf",
                                                .options = kPsnrOptions,
                                                .outputs = psnr_outputs,
                                                .check = check_psnr,
                                                .reads_chroma = true}};
  static constexpr FeatureFamily kFamily{"psnr", kFeatures, make_scalar_psnr};
  return kFamily;
}

PsnrPlane psnr_plane(const video::PictureFormat& format, int plane) {
  const video::Chroma chroma = format.pixel.chroma;
  const bool halves_width = plane > 0 && chroma != video::Chroma::c444;
  const bool halves_height = plane > 0 && chroma == video::Chroma::c420;
  return {format.width >> halves_width, format.height >> halves_height};
}

double squared_peak(const video::PictureFormat& format, const FeatureOptions& options) {
  const double peak = options.flag("reduced_hbd_peak") ? std::ldexp(255, format.pixel.bits - 8)
                                                       : format.pixel.max_value();
  return peak * peak;
}

std::unique_ptr<PairKernel> make_psnr_kernel(const video::PictureFormat& format,
                                             std::span<const FeatureRequest> requests,
                                             SquaredErrorSummer summer) {
  return std::make_unique<PsnrKernel>(format, requests, summer);
}

}  // namespace sidecore::metrics
