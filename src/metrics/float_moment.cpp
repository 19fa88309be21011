#include "metrics/float_moment.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "metrics/families.h"
#include "metrics/float_plane.h"

namespace sidecore::metrics {
namespace {

std::vector<std::string> float_moment_outputs(const FeatureOptions& /*none*/) {
  return {"float_moment_ref1st", "float_moment_dis1st", "float_moment_ref2nd",
          "float_moment_dis2nd"};
}

void check_float_moment(const video::PictureFormat& format, const FeatureOptions& /*none*/) {
  check_float_depth("float_moment", format.pixel.bits);
}

/// Exact sums over one row of a picture. libvmaf adds binary32 samples and squares in binary64,
/// which rounds nothing either, except squares of 16 bits in pictures above 2^21 samples.
struct MomentSums {
  std::uint64_t samples = 0;
  SquaredErrorSum squares = 0;
};

class FloatMomentKernel final : public PairKernel {
 public:
  FloatMomentKernel(const video::PictureFormat& format, SquaredErrorSummer summer)
      : format_(format),
        summer_(summer),
        zeros_(static_cast<std::size_t>(format.width)),
        sums_(2 * static_cast<std::size_t>(format.height)) {}

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    const auto height = static_cast<std::size_t>(format_.height);
    team.run(sums_.size(), [&](std::size_t piece, std::size_t) {
      const int y = static_cast<int>(piece % height);
      sums_[piece] = sums_of_row(piece < height ? reference : distorted, y);
    });
    for (std::size_t picture = 0; picture < 2; ++picture) {
      MomentSums total;
      for (std::size_t y = 0; y < height; ++y) {
        total.samples += sums_[picture * height + y].samples;
        total.squares += sums_[picture * height + y].squares;
      }
      // These exact factors scale samples to 0..255.x.
      const int scale = 8 - format_.pixel.bits;
      const double count = static_cast<double>(format_.width) * format_.height;
      scores[picture] = std::ldexp(static_cast<double>(total.samples), scale) / count;
      scores[picture + 2] = std::ldexp(static_cast<double>(total.squares), 2 * scale) / count;
    }
  }

 private:
  [[nodiscard]] MomentSums sums_of_row(const video::Picture& picture, int y) const {
    if (format_.pixel.bits == 8) return sums_of<std::uint8_t>(picture, y, summer_.bytes);
    return sums_of<std::uint16_t>(picture, y, [this](auto row, auto zeros) {
      return summer_.words(row, zeros, format_.pixel.bits);
    });
  }

  template <class Sample, class SumSquares>
  [[nodiscard]] MomentSums sums_of(const video::Picture& picture, int y,
                                   const SumSquares& sum_squares) const {
    const Sample* const row = picture.plane<Sample>(0).row(y);
    const int width = format_.width;
    const video::PlaneView<const Sample> zeros{reinterpret_cast<const Sample*>(zeros_.data()),
                                               width, 1, width};
    return {std::accumulate(row, row + width, std::uint32_t{0}),
            sum_squares(video::PlaneView<const Sample>{row, width, 1, width}, zeros)};
  }

  video::PictureFormat format_;
  SquaredErrorSummer summer_;
  std::vector<std::uint16_t> zeros_;  // a row of either sample type
  std::vector<MomentSums> sums_;      // rows of the reference, then of the distorted picture
};

std::unique_ptr<PairKernel> make_scalar_float_moment(const video::PictureFormat& format,
                                                     std::span<const FeatureRequest> /*the one*/,
                                                     std::size_t /*threads*/) {
  return make_float_moment_kernel(format,
                                  {squared_error_sum, squared_error_sum, exact_squared_error_sum});
}

}  // namespace

const FeatureFamily& float_moment_family() {
  static constexpr std::array kFeatures{
      Feature{"float_moment", "equal to libvmaf", {}, float_moment_outputs, check_float_moment}};
  static constexpr FeatureFamily kFamily{"float_moment", kFeatures, make_scalar_float_moment};
  return kFamily;
}

std::unique_ptr<PairKernel> make_float_moment_kernel(const video::PictureFormat& format,
                                                     SquaredErrorSummer summer) {
  return std::make_unique<FloatMomentKernel>(format, summer);
}

}  // namespace sidecore::metrics
