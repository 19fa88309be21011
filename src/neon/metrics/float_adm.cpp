#include "neon/metrics/float_adm.h"

#include <algorithm>
#include <utility>

#include "metrics/float_adm_kernel.h"
#include "neon/metrics/families.h"
#include "neon/metrics/float_adm_rows.h"

namespace sidecore::neon {
namespace {

// Pieces are long, because each piece computes again two rows of a neighbouring piece.
constexpr int kRowsPerPiece = 32;

}  // namespace

FloatAdm::FloatAdm(const video::PictureFormat& format, const metrics::AdmOptions& options,
                   std::size_t threads)
    : AdmSummer(metrics::adm_scales(format, options)), bits_(format.pixel.bits), options_(options) {
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    const PaddedRows rows(scales()[k].width, scales()[k].height);
    reference_[k] = distorted_[k] = {rows, {rows, rows, rows}};
  }
  const PaddedRows row(format.width, 1);
  const PaddedRows luma(format.width, LumaRows::kRows);
  scratch_.resize(threads, {{luma}, {row, row}, DetailRing(scales()[0].width)});
}

void FloatAdm::row_sums(const metrics::LumaView& reference, const metrics::LumaView& distorted,
                        const metrics::AdmRows& rows, ThreadTeam& team,
                        const metrics::AdmRowSums& sums) {
  const metrics::AdmRows transformed = metrics::transformed_rows(scales(), rows);
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    transform(k, reference, transformed[k], team, reference_);
    transform(k, distorted, transformed[k], team, distorted_);
    sum(k, rows[k], team, sums[k]);
  }
}

void FloatAdm::transform(std::size_t k, const metrics::LumaView& luma, const RowRange& rows,
                         ThreadTeam& team, std::array<AdmWavelet, metrics::kAdmScales>& wavelets) {
  const metrics::AdmScale& scale = scales()[k];
  team.run_row_pieces(rows, kRowsPerPiece, [&](const RowRange& piece, std::size_t thread) {
    Scratch& scratch = scratch_[thread];
    scratch.luma.converted = std::max(2 * piece.first - 1, 0);
    for (int y = piece.first; y < piece.last; ++y) {
      const auto input = [&](int offset) {
        const int row = metrics::adm_mirror(2 * y + offset, scale.input_height);
        return k == 0 ? luma_row(luma, bits_, scale, row, scratch.luma)
                      : std::as_const(wavelets[k - 1].approximation).row(row);
      };
      const std::array inputs{input(-1), input(0), input(1), input(2)};
      filter_vertically(inputs, scale, scratch.filtered);
      filter_horizontally(scratch.filtered, scale, y, wavelets[k]);
    }
  });
}

void FloatAdm::sum(std::size_t k, const RowRange& rows, ThreadTeam& team,
                   std::span<metrics::AdmSums::Scale> sums) {
  const metrics::AdmScale& scale = scales()[k];
  team.run_row_pieces(rows, kRowsPerPiece, [&](const RowRange& piece, std::size_t thread) {
    DetailRing& ring = scratch_[thread].details;
    int decoupled = std::max(piece.first - 1, 0);
    for (int y = piece.first; y < piece.last; ++y) {
      for (; decoupled < std::min(y + 2, scale.height); ++decoupled) {
        decouple_row(reference_[k].bands, distorted_[k].bands, scale, decoupled,
                     options_.enhancement_gain_limit, ring);
      }
      sums[static_cast<std::size_t>(y - scale.summed.top)] =
          sum_row(reference_[k].bands, ring, scale, y, options_.p_norm);
    }
  });
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
