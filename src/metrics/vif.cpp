#include "metrics/vif.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

// Names, ranges and abbreviations are libvmaf's.
constexpr std::array kVifOptions{
    OptionSpec{"debug", OptionType::boolean, 0, 0, 1, ""},
    OptionSpec{"vif_enhn_gain_limit", OptionType::real, 100, 1, 100, "egl"}};

std::vector<std::string> vif_outputs(const FeatureOptions& options) {
  std::vector<std::string> names{"integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2",
                                 "integer_vif_scale3"};
  if (options.flag("debug")) {
    names.insert(names.end(), {"integer_vif", "integer_vif_num", "integer_vif_den"});
    for (std::size_t k = 0; k < kVifScales; ++k) {
      names.push_back("integer_vif_num_scale" + std::to_string(k));
      names.push_back("integer_vif_den_scale" + std::to_string(k));
    }
  }
  return names;
}

void check_vif(const video::PictureFormat& format, const FeatureOptions& /*any*/) {
  check_vif_format(format);
}

constexpr int kVifRowsAPiece = 16;
/// Samples behind a row's end that may be read.
constexpr int kVifRowPadding = 16;

/// One side's plane of a scale.
struct VifPlane {
  VifPlane() = default;
  VifPlane(int plane_width, int plane_height)
      : width(plane_width),
        height(plane_height),
        samples(static_cast<std::size_t>(width + kVifRowPadding) *
                static_cast<std::size_t>(height)) {}

  [[nodiscard]] const std::uint16_t* row(int y) const {
    return samples.data() + static_cast<std::ptrdiff_t>(y) * (width + kVifRowPadding);
  }
  [[nodiscard]] std::uint16_t* row(int y) {
    return samples.data() + static_cast<std::ptrdiff_t>(y) * (width + kVifRowPadding);
  }
  /// Those around row y, mirrored.
  [[nodiscard]] VifTapRows tap_rows(int y, int taps) const {
    VifTapRows rows{};
    for (int t = 0; t < taps; ++t) {
      const int from = std::abs(y + t - taps / 2);
      rows[static_cast<std::size_t>(t)] = row(from < height ? from : 2 * height - 2 - from);
    }
    return rows;
  }

  int width = 0;
  int height = 0;
  std::vector<std::uint16_t> samples;
};

/// Half a filter of 17 taps on each side.
void mirror_moment(std::uint32_t* row, int width, int taps) {
  for (int i = 1; i <= taps / 2; ++i) {
    row[-i] = row[i];
    row[width - 1 + i] = row[width - 1 - i];
  }
}

class VifKernel final : public PairKernel {
 public:
  VifKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
            std::size_t threads, const VifRowFunctions& rows)
      : bits_(format.pixel.bits), rows_(rows), requests_(requests.begin(), requests.end()) {
    for (const FeatureRequest& request : requests) {
      gain_limits_.push_back(request.options.real("vif_enhn_gain_limit"));
    }
    for (std::size_t k = 0; k < kVifScales; ++k) {
      const VifPlane plane(format.width >> k, format.height >> k);
      reference_[k] = distorted_[k] = plane;
    }
    const VifRows row(format.width);
    scratch_.resize(threads, {row, row});
    sums_.resize(static_cast<std::size_t>(format.height / kVifRowsAPiece + 1) * requests.size());
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    copy_luma(reference, team, reference_[0]);
    copy_luma(distorted, team, distorted_[0]);
    totals_.assign(requests_.size(), {});
    for (std::size_t k = 0; k < kVifScales; ++k) {
      if (k > 0) {
        decimate(k, team, reference_);
        decimate(k, team, distorted_);
      }
      sum_scale(k, team);
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        for (std::size_t j = i; j < sums_.size(); j += requests_.size()) {
          totals_[i][k].add(sums_[j]);
        }
      }
    }
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      scores = scores.subspan(write_vif_scores(totals_[i], requests_[i], scores));
    }
  }

 private:
  struct Scratch {
    VifRows vertical;
    VifRows both;
  };
  /// Calls task(y, thread, piece) for all rows.
  template <class Task>
  static void run_rows_of(int height, ThreadTeam& team, const Task& task) {
    const auto pieces = static_cast<std::size_t>((height + kVifRowsAPiece - 1) / kVifRowsAPiece);
    team.run(pieces, [&](std::size_t piece, std::size_t thread) {
      const int first = static_cast<int>(piece) * kVifRowsAPiece;
      const int last = std::min(first + kVifRowsAPiece, height);
      for (int y = first; y < last; ++y) task(y, thread, piece);
    });
  }

  void copy_luma(const video::Picture& picture, ThreadTeam& team, VifPlane& to) const {
    run_rows_of(to.height, team, [&](int y, std::size_t, std::size_t) {
      const auto copy = [&](const auto& plane) {
        std::copy(plane.row(y), plane.row(y) + plane.width, to.row(y));
      };
      if (bits_ == 8) {
        copy(picture.plane<std::uint8_t>(0));
      } else {
        copy(picture.plane<std::uint16_t>(0));
      }
    });
  }

  /// Makes plane k from the one before, blurred with the filter of scale k.
  void decimate(std::size_t k, ThreadTeam& team, std::array<VifPlane, kVifScales>& planes) {
    const VifPlane& from = planes[k - 1];
    VifPlane& to = planes[k];
    const VifFilter& filter = kVifFilters[k];
    run_rows_of(to.height, team, [&](int y, std::size_t thread, std::size_t) {
      VifRows& blurred = scratch_[thread].vertical;
      rows_.filter_plane(from.tap_rows(2 * y, filter.taps), from.width, filter, k == 1 ? bits_ : 16,
                         blurred);
      mirror_moment(blurred.row(kMean1), from.width, filter.taps);
      rows_.decimate(blurred, to.width, filter, to.row(y));
    });
  }

  void sum_scale(std::size_t k, ThreadTeam& team) {
    const VifPlane& reference = reference_[k];
    const VifPlane& distorted = distorted_[k];
    const VifFilter& filter = kVifFilters[k];
    const VifShifts shifts = k == 0 ? VifShifts{bits_, 2 * (bits_ - 8)} : VifShifts{};
    std::ranges::fill(sums_, VifSums{});
    run_rows_of(reference.height, team, [&](int y, std::size_t thread, std::size_t piece) {
      auto& [vertical, both] = scratch_[thread];
      rows_.filter_moments(reference.tap_rows(y, filter.taps), distorted.tap_rows(y, filter.taps),
                           reference.width, filter, shifts, vertical);
      for (std::size_t moment = 0; moment < kVifMoments; ++moment) {
        mirror_moment(vertical.row(moment), reference.width, filter.taps);
      }
      rows_.filter_columns(vertical, reference.width, filter, both);
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        rows_.add_windows(both, reference.width, gain_limits_[i],
                          sums_[piece * requests_.size() + i]);
      }
    });
  }

  int bits_;
  const VifRowFunctions& rows_;
  std::vector<FeatureRequest> requests_;
  std::vector<double> gain_limits_;  // theirs
  std::array<VifPlane, kVifScales> reference_;
  std::array<VifPlane, kVifScales> distorted_;
  std::vector<Scratch> scratch_;  // one a thread
  std::vector<VifSums> sums_;     // of each piece of rows, one for each request
  std::vector<std::array<VifSums, kVifScales>> totals_;  // of each request
};

std::unique_ptr<PairKernel> make_scalar_vif(const video::PictureFormat& format,
                                            std::span<const FeatureRequest> requests,
                                            std::size_t threads) {
  return make_vif_kernel(format, requests, threads, vif_rows());
}

}  // namespace

VifLog2Table::VifLog2Table() {
  for (std::size_t i = 0; i < log2_.size(); ++i) {
    const auto log2 = static_cast<float>(std::log2(static_cast<double>(i + kFirst)));
    log2_[i] = static_cast<std::uint16_t>(std::lround(log2 * 2048));
  }
}

const VifLog2Table& VifLog2Table::instance() {
  static const VifLog2Table kTable;
  return kTable;
}

void check_vif_format(const video::PictureFormat& format) {
  const int bits = format.pixel.bits;
  if (bits != 8 && bits != 10 && bits != 12 && bits != 16) {
    throw usage_error("vif is defined for 8, 10, 12 and 16 bits a sample, not for {}", bits);
  }
  if (format.width < kVifMinimumSize || format.height < kVifMinimumSize) {
    throw usage_error("vif needs pictures of at least {0}x{0} samples, not {1}x{2}",
                      kVifMinimumSize, format.width, format.height);
  }
}

std::size_t write_vif_scores(std::span<const VifSums, kVifScales> sums,
                             const FeatureRequest& request, std::span<double> scores) {
  std::array<float, kVifScales> numerator{};
  std::array<float, kVifScales> denominator{};
  for (std::size_t k = 0; k < kVifScales; ++k) {
    numerator[k] = sums[k].numerator();
    denominator[k] = sums[k].denominator();
  }
  std::size_t count = 0;
  double numerators = 0;
  double denominators = 0;
  for (std::size_t k = 0; k < kVifScales; ++k) {
    scores[count++] = double{numerator[k] / denominator[k]};
    numerators += double{numerator[k]};
    denominators += double{denominator[k]};
  }
  if (!request.options.flag("debug")) return count;
  scores[count++] = denominators == 0 ? 1 : numerators / denominators;
  scores[count++] = numerators;
  scores[count++] = denominators;
  for (std::size_t k = 0; k < kVifScales; ++k) {
    scores[count++] = double{numerator[k]};
    scores[count++] = double{denominator[k]};
  }
  return count;
}

std::unique_ptr<PairKernel> make_vif_kernel(const video::PictureFormat& format,
                                            std::span<const FeatureRequest> requests,
                                            std::size_t threads, const VifRowFunctions& rows) {
  return std::make_unique<VifKernel>(format, requests, threads, rows);
}

const FeatureFamily& vif_family() {
  static constexpr std::array kFeatures{
      Feature{"vif", "equal to libvmaf's scalar build", kVifOptions, vif_outputs, check_vif}};
  static constexpr FeatureFamily kFamily{"vif", kFeatures, make_scalar_vif};
  return kFamily;
}

}  // namespace sidecore::metrics
