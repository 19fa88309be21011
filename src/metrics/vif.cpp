#include "metrics/vif.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

// Options of vif. Names, ranges and abbreviations equal libvmaf's.
constexpr std::array kVifOptions{
    OptionSpec{.name = "debug", .adds_outputs = true},
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

constexpr int kVifRowsPerPiece = 16;
/// Number of samples after a row's end that code may read.
constexpr int kVifRowPadding = 16;

/// Mirrors half a filter of up to 17 taps on each side of a row.
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
      : rows_(rows), requests_(requests.begin(), requests.end()), filters_(format, threads, rows) {
    for (const FeatureRequest& request : requests) {
      gain_limits_.push_back(request.options.real("vif_enhn_gain_limit"));
    }
    for (std::size_t k = 0; k < kVifScales; ++k) all_rows_[k] = {0, filters_.height(k)};
    sums_.resize(static_cast<std::size_t>(format.height / kVifRowsPerPiece + 1) * requests.size());
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    filters_.make_planes(luma_view(reference), luma_view(distorted), all_rows_, team);
    totals_.assign(requests_.size(), {});
    for (std::size_t k = 0; k < kVifScales; ++k) {
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
  void sum_scale(std::size_t k, ThreadTeam& team) {
    std::ranges::fill(sums_, VifSums{});
    team.run_rows(all_rows_[k], kVifRowsPerPiece, [&](int y, std::size_t thread) {
      const auto piece = static_cast<std::size_t>(y / kVifRowsPerPiece);
      const VifRows& row = filters_.statistics(k, y, thread);
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        rows_.add_windows(row, 0, filters_.width(k), gain_limits_[i],
                          sums_[piece * requests_.size() + i]);
      }
    });
  }

  const VifRowFunctions& rows_;
  std::vector<FeatureRequest> requests_;
  std::vector<double> gain_limits_;  // one gain limit per request
  VifFilters filters_;
  VifRowRanges all_rows_;
  std::vector<VifSums> sums_;  // sums of each piece of rows: one element per request
  // Sums over all rows: one element per request.
  std::vector<std::array<VifSums, kVifScales>> totals_;
};

std::unique_ptr<PairKernel> make_scalar_vif(const video::PictureFormat& format,
                                            std::span<const FeatureRequest> requests,
                                            std::size_t threads) {
  return make_vif_kernel(format, requests, threads, vif_rows());
}

}  // namespace

VifLog2Table::VifLog2Table() {
  for (std::size_t i = kFirst; i < log2_.size(); ++i) {
    const auto log2 = static_cast<float>(std::log2(static_cast<double>(i)));
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

template <class Sample>
VifPlanes<Sample>::VifPlanes(int width, int height)
    : height_(height),
      stride_(width + kVifRowPadding),
      samples_(2 * static_cast<std::size_t>(stride_ * height)) {}

template <class Sample>
VifTapRows<Sample> VifPlanes<Sample>::tap_rows(int y, int taps) const {
  VifTapRows<Sample> rows{samples_.data(), samples_.data() + height_ * stride_, {}};
  for (int t = 0; t < taps; ++t) {
    const int from = std::abs(y + t - taps / 2);
    const int inside = from < height_ ? from : 2 * height_ - 2 - from;
    rows.offset[static_cast<std::size_t>(t)] = inside * stride_;
  }
  return rows;
}

VifFilters::VifFilters(const video::PictureFormat& format, std::size_t threads,
                       const VifRowFunctions& rows)
    : width_(format.width), height_(format.height), bits_(format.pixel.bits), rows_(rows) {
  if (bits_ == 8) bytes_ = {format.width, format.height};
  for (std::size_t k = bits_ == 8 ? 1 : 0; k < kVifScales; ++k) planes_[k] = {width(k), height(k)};
  const VifRows row(format.width);
  scratch_.resize(threads, {row, row});
}

void VifFilters::make_planes(const LumaView& reference, const LumaView& distorted,
                             const VifRowRanges& windows, ThreadTeam& team) {
  // Returns the rows of a plane, mirrored at its borders, that a filter reads.
  const auto reach = [&](const RowRange& rows, std::size_t k, int step, const VifFilter& filter) {
    if (rows.first >= rows.last) return rows;
    return RowRange{std::max(step * rows.first - filter.taps / 2, 0),
                    std::min(step * (rows.last - 1) + filter.taps / 2 + 1, height(k))};
  };
  VifRowRanges needed;
  for (std::size_t k = kVifScales; k-- > 0;) {
    needed[k] = reach(windows[k], k, 1, kVifFilters[k]);
    if (k + 1 == kVifScales || needed[k + 1].first >= needed[k + 1].last) continue;
    const RowRange next = reach(needed[k + 1], k, 2, kVifFilters[k + 1]);
    const bool none = needed[k].first >= needed[k].last;
    needed[k] =
        none ? next
             : RowRange{std::min(needed[k].first, next.first), std::max(needed[k].last, next.last)};
  }
  copy_luma(reference, distorted, needed[0], team);
  for (std::size_t k = 1; k < kVifScales; ++k) decimate(k, needed[k], team);
}

void VifFilters::copy_luma(const LumaView& reference, const LumaView& distorted,
                           const RowRange& rows, ThreadTeam& team) {
  const auto copy = [&](const LumaView& luma, int y, VifByte* bytes, std::uint16_t* words) {
    if (const auto* const plane = std::get_if<video::PlaneView<const std::uint8_t>>(&luma)) {
      std::transform(plane->row(y), plane->row(y) + width_, bytes,
                     [](std::uint8_t sample) { return static_cast<VifByte>(sample - 128); });
    } else {
      std::copy_n(std::get<video::PlaneView<const std::uint16_t>>(luma).row(y), width_, words);
    }
  };
  team.run_rows(rows, kVifRowsPerPiece, [&](int y, std::size_t) {
    copy(reference, y, bytes_.first(y), planes_[0].first(y));
    copy(distorted, y, bytes_.second(y), planes_[0].second(y));
  });
}

/// Makes rows of scale k's planes from those of scale k - 1, blurred with the filter of scale k.
void VifFilters::decimate(std::size_t k, const RowRange& rows, ThreadTeam& team) {
  const VifFilter& filter = kVifFilters[k];
  team.run_rows(rows, kVifRowsPerPiece, [&](int y, std::size_t thread) {
    VifRows& blurred = scratch_[thread].vertical;
    if (k == 1 && bits_ == 8) {
      rows_.filter_byte_planes(bytes_.tap_rows(2 * y, filter.taps), width_, filter, bits_, blurred);
    } else {
      rows_.filter_planes(planes_[k - 1].tap_rows(2 * y, filter.taps), width(k - 1), filter,
                          k == 1 ? bits_ : 16, blurred);
    }
    for (const VifMoment moment : {kMean1, kMean2}) {
      mirror_moment(blurred.row(moment), width(k - 1), filter.taps);
    }
    rows_.decimate(blurred, width(k), filter, planes_[k].first(y), planes_[k].second(y));
  });
}

const VifRows& VifFilters::statistics(std::size_t scale, int y, std::size_t thread) {
  const VifFilter& filter = kVifFilters[scale];
  const VifShifts shifts = scale == 0 ? VifShifts{bits_, 2 * (bits_ - 8)} : VifShifts{};
  auto& [vertical, both] = scratch_[thread];
  if (scale == 0 && bits_ == 8) {
    rows_.filter_byte_moments(bytes_.tap_rows(y, filter.taps), width_, filter, shifts, vertical);
  } else {
    rows_.filter_moments(planes_[scale].tap_rows(y, filter.taps), width(scale), filter, shifts,
                         vertical);
  }
  for (std::size_t moment = 0; moment < kVifMoments; ++moment) {
    mirror_moment(vertical.row(moment), width(scale), filter.taps);
  }
  rows_.filter_columns(vertical, width(scale), filter, shifts, both);
  return both;
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
