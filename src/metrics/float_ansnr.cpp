#include "metrics/float_ansnr.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/rounding.h"
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

template <std::size_t taps>
using AnsnrWeights = std::array<float, taps * taps>;

template <std::size_t taps>
constexpr AnsnrWeights<taps> weights_of(const AnsnrFilter<taps>& filter) {
  AnsnrWeights<taps> weights{};
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = filter.weight(i / taps, i % taps);
  return weights;
}

/// Rows of a luma plane, each mirrored at its ends, and those that the filters read around them.
class AnsnrPlane {
 public:
  explicit AnsnrPlane(int width)
      : width_(width), samples_(width + 2 * kMargin, kAnsnrRowsPerPiece + 2 * kAnsnrReach) {}

  void fill(const video::Picture& picture, const RowRange& rows) {
    first_ = rows.first - kAnsnrReach;
    for (int y = first_; y < rows.last + kAnsnrReach; ++y) {
      float* const row = row_at(y);
      centred_luma_to_float(picture, ansnr_mirror(y, picture.format().height), row);
      for (int i = 1; i <= kAnsnrReach; ++i) {
        row[-i] = row[ansnr_mirror(-i, width_)];
        row[width_ - 1 + i] = row[ansnr_mirror(width_ - 1 + i, width_)];
      }
    }
  }

  /// Returns the rows around row y. Each pointer is that of column 0.
  template <std::size_t taps>
  [[nodiscard]] std::array<const float*, taps> rows_around(int y) {
    std::array<const float*, taps> rows{};
    for (std::size_t t = 0; t < taps; ++t) {
      rows[t] = row_at(y + static_cast<int>(t) - static_cast<int>(taps / 2));
    }
    return rows;
  }

 private:
  static constexpr int kMargin = 4;  // keeps rows aligned to vectors

  [[nodiscard]] float* row_at(int y) { return samples_.row(y - first_) + kMargin; }

  int width_;
  int first_ = 0;  // number of the first row
  FloatPlane samples_;
};

template <std::size_t taps>
void filter_ansnr(const std::array<const float*, taps>& rows, const AnsnrWeights<taps>& weights,
                  int width, float* to) {
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

class ScalarAnsnrSummer final : public AnsnrSummer {
 public:
  explicit ScalarAnsnrSummer(const video::PictureFormat& format)
      : width_(format.width),
        reference_(format.width),
        distorted_(format.width),
        filtered_(format.width, 2) {}

  void sum(const video::Picture& reference, const video::Picture& distorted, const RowRange& rows,
           const AnsnrSums& sums) override {
    static constexpr AnsnrWeights<3> kReferenceWeights = weights_of(kAnsnrReferenceFilter);
    static constexpr AnsnrWeights<5> kDistortedWeights = weights_of(kAnsnrDistortedFilter);
    reference_.fill(reference, rows);
    distorted_.fill(distorted, rows);
    for (int y = rows.first; y < rows.last; ++y) {
      float* const a = filtered_.row(0);
      float* const b = filtered_.row(1);
      filter_ansnr<3>(reference_.rows_around<3>(y), kReferenceWeights, width_, a);
      filter_ansnr<5>(distorted_.rows_around<5>(y), kDistortedWeights, width_, b);
      float signal = 0;
      float noise = 0;
      for (int x = 0; x < width_; ++x) {
        const float difference = a[x] - b[x];
        signal += a[x] * a[x];
        noise += difference * difference;
      }
      sums.signal[y - rows.first] = signal;
      sums.noise[y - rows.first] = noise;
    }
  }

 private:
  int width_;
  AnsnrPlane reference_;
  AnsnrPlane distorted_;
  FloatPlane filtered_;  // a row of each picture
};

class FloatAnsnrKernel final : public PairKernel {
 public:
  FloatAnsnrKernel(const video::PictureFormat& format, std::size_t threads, MakeAnsnrSummer make)
      : format_(format) {
    for (std::size_t i = 0; i < threads; ++i) summers_.push_back(make(format));
    signal_.resize(round_up(static_cast<std::size_t>(format.height), kAnsnrRowsPerPiece));
    noise_.resize(signal_.size());
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    team.run_row_pieces(
        {0, format_.height}, kAnsnrRowsPerPiece, [&](const RowRange& rows, std::size_t thread) {
          summers_[thread]->sum(reference, distorted, rows,
                                {signal_.data() + rows.first, noise_.data() + rows.first});
        });
    // The rows must be added top to bottom, because the sums are in binary32.
    const auto total = [&](const std::vector<float>& rows) {
      return std::accumulate(rows.begin(), rows.begin() + format_.height, 0.0F);
    };
    const float signal = total(signal_);
    const float noise = total(noise_);
    const auto& [bits, peak, cap_db] = float_psnr_range(format_.pixel.bits);
    scores[0] = noise == 0 ? cap_db : 10 * std::log10(double{signal / noise});
    scores[1] = std::min(10 * std::log10(peak * peak * format_.width * format_.height /
                                         std::max(double{noise}, 1e-10)),
                         cap_db);
  }

 private:
  video::PictureFormat format_;
  std::vector<std::unique_ptr<AnsnrSummer>> summers_;  // one per thread
  // Sums of each row, with room for a whole number of pieces.
  std::vector<float> signal_;
  std::vector<float> noise_;
};

std::unique_ptr<AnsnrSummer> make_scalar_ansnr_summer(const video::PictureFormat& format) {
  return std::make_unique<ScalarAnsnrSummer>(format);
}

std::unique_ptr<PairKernel> make_scalar_float_ansnr(const video::PictureFormat& format,
                                                    std::span<const FeatureRequest> /*the one*/,
                                                    std::size_t threads) {
  return make_float_ansnr_kernel(format, threads, make_scalar_ansnr_summer);
}

}  // namespace

std::unique_ptr<PairKernel> make_float_ansnr_kernel(const video::PictureFormat& format,
                                                    std::size_t threads, MakeAnsnrSummer make) {
  return std::make_unique<FloatAnsnrKernel>(format, threads, make);
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
