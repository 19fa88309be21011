#include "neon/float_adm.h"

#include <algorithm>
#include <utility>

#include "metrics/float_adm_kernel.h"
#include "neon/adm_masking.h"
#include "neon/adm_wavelet.h"
#include "neon/families.h"

namespace sidecore::neon {
namespace {

// Long pieces: each begins with two rows that its neighbour computes too.
constexpr int kRowsAPiece = 32;

// Calls task(first, last, thread) for pieces of the rows.
template <class Task>
void run_rows(metrics::RowTeam& team, int first, int last, const Task& task) {
  const auto pieces = static_cast<std::size_t>((last - first + kRowsAPiece - 1) / kRowsAPiece);
  team.run(pieces, [&](std::size_t piece, std::size_t thread) {
    const int begin = first + static_cast<int>(piece) * kRowsAPiece;
    task(begin, std::min(begin + kRowsAPiece, last), thread);
  });
}

}  // namespace

FloatAdm::FloatAdm(const video::PictureFormat& format, const metrics::AdmOptions& options,
                   std::size_t threads)
    : options_(options) {
  metrics::check_float_adm_format(format);
  metrics::check_float_adm_options(options);
  scales_ = metrics::adm_scales(format.width, format.height, options);
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    const PaddedRows rows(scales_[k].width, scales_[k].height);
    reference_[k] = distorted_[k] = {rows, {rows, rows, rows}};
  }
  const PaddedRows row(format.width, 1);
  scratch_.resize(threads, {{PaddedRows(format.width, 4)}, {row, row}, DetailRing(scales_[0].width)});
  row_sums_.resize(static_cast<std::size_t>(scales_[0].height));
}

metrics::AdmSums FloatAdm::sums(const video::Picture& reference, const video::Picture& distorted,
                                metrics::RowTeam& rows) {
  metrics::AdmSums sums;
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    transform(k, reference, rows, reference_);
    transform(k, distorted, rows, distorted_);
    sums.scales[k] = sum(k, rows);
  }
  return sums;
}

void FloatAdm::transform(std::size_t k, const video::Picture& picture, metrics::RowTeam& team,
                         std::array<AdmWavelet, metrics::kAdmScales>& wavelets) {
  const metrics::AdmScale& scale = scales_[k];
  run_rows(team, 0, scale.height, [&](int first, int last, std::size_t thread) {
    Scratch& scratch = scratch_[thread];
    scratch.luma.converted = std::max(2 * first - 1, 0);
    for (int y = first; y < last; ++y) {
      const auto input = [&](int offset) {
        const int row = metrics::adm_mirror(2 * y + offset, scale.input_height);
        return k == 0 ? luma_row(picture, row, scratch.luma)
                      : std::as_const(wavelets[k - 1].approximation).row(row);
      };
      const std::array rows{input(-1), input(0), input(1), input(2)};
      filter_vertically(rows, scale.input_width, scratch.filtered);
      filter_horizontally(scratch.filtered, y, scale.width, wavelets[k]);
    }
  });
}

metrics::AdmSums::Scale FloatAdm::sum(std::size_t k, metrics::RowTeam& rows) {
  const metrics::AdmScale& scale = scales_[k];
  run_rows(rows, scale.summed.top, scale.summed.bottom,
           [&](int first, int last, std::size_t thread) {
             DetailRing& ring = scratch_[thread].details;
             int decoupled = std::max(first - 1, scale.needed.top);
             for (int y = first; y < last; ++y) {
               // Above the first row of the band stands its second, below the last the last itself.
               for (; decoupled < std::min(y + 2, scale.needed.bottom); ++decoupled) {
                 decouple_row(reference_[k].bands, distorted_[k].bands, scale, decoupled,
                              options_.enhancement_gain_limit, ring);
               }
               row_sums_[static_cast<std::size_t>(y)] =
                   sum_row(reference_[k].bands, ring, scale, y, options_.p_norm);
             }
           });
  return metrics::add_rows(row_sums_, scale.summed);
}

namespace {

std::unique_ptr<metrics::AdmSummer> make_summer(const video::PictureFormat& format,
                                                const metrics::AdmOptions& options,
                                                std::size_t threads) {
  return std::make_unique<FloatAdm>(format, options, threads);
}

}  // namespace

std::unique_ptr<metrics::PairKernel> make_float_adm(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads) {
  return metrics::make_float_adm_kernel(format, requests, threads, make_summer);
}

}  // namespace sidecore::neon
