#include "metrics/float_ansnr.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "metrics/families.h"
#include "metrics/float_plane.h"
#include "metrics/float_psnr.h"

namespace sidecore::metrics {
namespace {

std::vector<std::string> float_ansnr_outputs(const FeatureOptions& /*none*/) {
  return {"float_ansnr", "float_anpsnr"};
}

void check_float_ansnr(const video::PictureFormat& format, const FeatureOptions& /*none*/) {
  check_float_depth("float_ansnr", format.pixel.bits);
  if (format.width < kFloatAnsnrMinimumSize || format.height < kFloatAnsnrMinimumSize) {
    throw usage_error("float_ansnr needs pictures of at least {0}x{0} samples, not {1}x{2}",
                      kFloatAnsnrMinimumSize, format.width, format.height);
  }
}

/// Returns integers as binary32 weights that have the sum 1.
template <std::size_t taps>
AnsnrWeights<taps> weights_of(const std::array<int, taps * taps>& integers, int sum) {
  AnsnrWeights<taps> weights{};
  std::ranges::transform(integers, weights.begin(), [sum](int integer) {
    return static_cast<float>(static_cast<double>(integer) / sum);
  });
  return weights;
}

AnsnrWeights<3> reference_weights() {
  return weights_of<3>({1, 2, 1, 2, 4, 2, 1, 2, 1}, 16);
}
AnsnrWeights<5> distorted_weights() {
  return weights_of<5>(
      {2, 7, 12, 7, 2, 7, 31, 52, 31, 7, 12, 52, 127, 52, 12, 7, 31, 52, 31, 7, 2, 7, 12, 7, 2},
      571);
}

/// A luma plane with margins, which mirror the samples at the left and right border. The right
/// border's sample is repeated, the left border's is not.
class AnsnrPlane {
 public:
  AnsnrPlane(int width, int height)
      : width_(width), height_(height), samples_(width + 2 * kMargin + 4, height) {}

  void fill_rows(const video::Picture& picture, int first, int last) {
    const FloatView all = samples_.view();
    centred_luma_to_float(picture, first, last,
                          {all.samples + kMargin, width_, height_, all.stride});
    for (int y = first; y < last; ++y) {
      float* const row = samples_.row(y) + kMargin;
      for (int i = 1; i <= kReach; ++i) {
        row[-i] = row[i];
        row[width_ - 1 + i] = row[width_ - i];
      }
    }
  }

  /// Returns the rows around row y. The bottom row is repeated, the top row is not.
  template <std::size_t taps>
  [[nodiscard]] AnsnrRows<taps> rows_around(int y) const {
    AnsnrRows<taps> rows{};
    for (int t = 0; t < static_cast<int>(taps); ++t) {
      const int from = std::abs(y + t - static_cast<int>(taps / 2));
      rows[static_cast<std::size_t>(t)] =
          samples_.row(from < height_ ? from : 2 * height_ - 1 - from) + kMargin;
    }
    return rows;
  }

 private:
  static constexpr int kReach = 2;
  static constexpr int kMargin = 4;  // keeps rows aligned to vectors

  int width_;
  int height_;
  FloatPlane samples_;
};

constexpr int kAnsnrRowsPerPiece = 32;

class FloatAnsnrKernel final : public PairKernel {
 public:
  FloatAnsnrKernel(const video::PictureFormat& format, std::size_t threads,
                   const AnsnrRowFunctions& rows)
      : format_(format),
        rows_(rows),
        reference_(format.width, format.height),
        distorted_(format.width, format.height),
        scratch_(threads, FloatPlane(format.width, 2)),
        row_sums_(static_cast<std::size_t>(format.height)) {}

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    const RowRange all{0, format_.height};
    team.run_rows(all, kAnsnrRowsPerPiece, [&](int y, std::size_t) {
      reference_.fill_rows(reference, y, y + 1);
      distorted_.fill_rows(distorted, y, y + 1);
    });
    team.run_rows(all, kAnsnrRowsPerPiece, [&](int y, std::size_t thread) {
      row_sums_[static_cast<std::size_t>(y)] = sums_of_row(y, scratch_[thread]);
    });
    // The rows must be added top to bottom, because the sums are in binary32.
    AnsnrSums sums;
    for (const AnsnrSums& row : row_sums_) {
      sums.signal += row.signal;
      sums.noise += row.noise;
    }
    const auto& [bits, peak, cap_db] = float_psnr_range(format_.pixel.bits);
    scores[0] = sums.noise == 0 ? cap_db : 10 * std::log10(double{sums.signal / sums.noise});
    scores[1] = std::min(10 * std::log10(peak * peak * format_.width * format_.height /
                                         std::max(double{sums.noise}, 1e-10)),
                         cap_db);
  }

 private:
  [[nodiscard]] AnsnrSums sums_of_row(int y, FloatPlane& scratch) const {
    rows_.filter_reference(reference_.rows_around<3>(y), reference_weights_, format_.width,
                           scratch.row(0));
    rows_.filter_distorted(distorted_.rows_around<5>(y), distorted_weights_, format_.width,
                           scratch.row(1));
    return rows_.sum(scratch.row(0), scratch.row(1), format_.width);
  }

  video::PictureFormat format_;
  const AnsnrRowFunctions& rows_;
  AnsnrWeights<3> reference_weights_ = reference_weights();
  AnsnrWeights<5> distorted_weights_ = distorted_weights();
  AnsnrPlane reference_;
  AnsnrPlane distorted_;
  std::vector<FloatPlane> scratch_;  // rows of both filtered pictures, one element per thread
  std::vector<AnsnrSums> row_sums_;
};

template <std::size_t taps>
void filter_ansnr(const AnsnrRows<taps>& rows, const AnsnrWeights<taps>& weights, int width,
                  float* to) {
  constexpr auto kReach = static_cast<int>(taps / 2);
  for (int x = 0; x < width; ++x) {
    float sum = 0;
    for (std::size_t t = 0; t < taps; ++t) {
      float row_sum = 0;
      for (std::size_t u = 0; u < taps; ++u) {
        row_sum += weights[taps * t + u] * rows[t][x + static_cast<int>(u) - kReach];
      }
      sum += row_sum;
    }
    to[x] = sum;
  }
}

AnsnrSums sum_ansnr(const float* reference, const float* distorted, int width) {
  AnsnrSums sums;
  for (int x = 0; x < width; ++x) {
    const float difference = reference[x] - distorted[x];
    sums.signal += reference[x] * reference[x];
    sums.noise += difference * difference;
  }
  return sums;
}

std::unique_ptr<PairKernel> make_scalar_float_ansnr(const video::PictureFormat& format,
                                                    std::span<const FeatureRequest> /*the one*/,
                                                    std::size_t threads) {
  static constexpr AnsnrRowFunctions kRows{filter_ansnr<3>, filter_ansnr<5>, sum_ansnr};
  return make_float_ansnr_kernel(format, threads, kRows);
}

}  // namespace

std::unique_ptr<PairKernel> make_float_ansnr_kernel(const video::PictureFormat& format,
                                                    std::size_t threads,
                                                    const AnsnrRowFunctions& rows) {
  return std::make_unique<FloatAnsnrKernel>(format, threads, rows);
}

const FeatureFamily& float_ansnr_family() {
  static constexpr std::array kFeatures{Feature{"float_ansnr",
                                                "equal to libvmaf's scalar build",
                                                {},
                                                float_ansnr_outputs,
                                                check_float_ansnr}};
  static constexpr FeatureFamily kFamily{"float_ansnr", kFeatures, make_scalar_float_ansnr};
  return kFamily;
}

}  // namespace sidecore::metrics
