#include "metrics/float_psnr.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

/// Returns rows `first` to `first + count - 1` of a plane, fewer at its end.
template <class Sample>
video::PlaneView<const Sample> band(const video::Picture& picture, int first, int count) {
  const video::PlaneView<const Sample> plane = picture.plane<Sample>(0);
  return {plane.row(first), plane.width, std::min(count, plane.height - first), plane.stride};
}

class FloatPsnrKernel final : public PairKernel {
 public:
  FloatPsnrKernel(const video::PictureFormat& format, SquaredErrorSummer summer)
      : format_(format),
        summer_(summer),
        sums_((static_cast<std::size_t>(format.height) + kBandRows - 1) / kBandRows) {}

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) override {
    rows.run(sums_.size(), [&](std::size_t piece, std::size_t) {
      sums_[piece] = sum_of_band(reference, distorted, static_cast<int>(piece) * kBandRows);
    });
    const SquaredErrorSum sum = std::accumulate(sums_.begin(), sums_.end(), SquaredErrorSum{0});
    scores[0] = float_psnr(sum, format_.width, format_.height, format_.pixel.bits);
  }

 private:
  static constexpr int kBandRows = 64;

  [[nodiscard]] SquaredErrorSum sum_of_band(const video::Picture& reference,
                                            const video::Picture& distorted, int row) const {
    if (format_.pixel.bits == 8) {
      return summer_.bytes(band<std::uint8_t>(reference, row, kBandRows),
                           band<std::uint8_t>(distorted, row, kBandRows));
    }
    return summer_.words(band<std::uint16_t>(reference, row, kBandRows),
                         band<std::uint16_t>(distorted, row, kBandRows), format_.pixel.bits);
  }

  video::PictureFormat format_;
  SquaredErrorSummer summer_;
  std::vector<SquaredErrorSum> sums_;
};

std::unique_ptr<PairKernel> make_scalar_float_psnr(const video::PictureFormat& format,
                                                   std::span<const FeatureRequest> /*the one*/,
                                                   std::size_t /*threads*/) {
  return make_float_psnr_kernel(format,
                                {squared_error_sum, squared_error_sum, exact_squared_error_sum});
}

std::vector<std::string> float_psnr_outputs(const FeatureOptions& /*none*/) {
  return {"float_psnr"};
}

void check_float_psnr_request(const video::PictureFormat& format, const FeatureOptions& /*none*/) {
  check_float_psnr_depth(format.pixel.bits);
}

}  // namespace

const FeatureFamily& float_psnr_family() {
  static constexpr std::array kFeatures{
      Feature{"float_psnr", "equal to libvmaf", {}, float_psnr_outputs, check_float_psnr_request}};
  static constexpr FeatureFamily kFamily{"float_psnr", kFeatures, make_scalar_float_psnr};
  return kFamily;
}

std::unique_ptr<PairKernel> make_float_psnr_kernel(const video::PictureFormat& format,
                                                   SquaredErrorSummer summer) {
  return std::make_unique<FloatPsnrKernel>(format, summer);
}

}  // namespace sidecore::metrics
