#include "neon/ssim.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "metrics/certified_mean.h"
#include "neon/ssim_strip.h"
#include "neon/window_similarity.h"

namespace sidecore::neon {
namespace {

using metrics::ConstFloatView;
using metrics::SsimMeans;
using metrics::WindowSimilarity;

constexpr int kColumns = SsimStrip::kColumns;
constexpr int kRows = SsimStrip::kRows;
constexpr int kLastRow = metrics::kSsimWindow - 1;

int strips_across(int windows) {
  return (windows + kColumns - 1) / kColumns;
}

WindowSimilarity& operator+=(WindowSimilarity& sums, const WindowSimilarity& terms) {
  sums.luminance += terms.luminance;
  sums.contrast += terms.contrast;
  sums.structure += terms.structure;
  sums.ssim += terms.ssim;
  return sums;
}

metrics::WindowMoments window(const SsimStrip::Rows& moments, std::size_t row, std::size_t column) {
  return {moments[0][row][column], moments[1][row][column], moments[2][row][column],
          moments[3][row][column], moments[4][row][column]};
}

FourWindows four_windows(const SsimStrip::Rows& moments, std::size_t row, std::size_t column) {
  const auto lanes = [&](std::size_t moment) { return vld1q_f32(&moments[moment][row][column]); };
  return {lanes(0), lanes(1), lanes(2), lanes(3), lanes(4)};
}

/// Windows' sums in pairs of lanes, of the similarities of one kind.
template <Similarities Kind>
struct LaneSums {
  float64x2_t luminance = vdupq_n_f64(0);
  float64x2_t contrast = vdupq_n_f64(0);
  float64x2_t structure = vdupq_n_f64(0);
  float64x2_t ssim = vdupq_n_f64(0);
  float32x4_t largest_structure = vdupq_n_f32(0);

  void add(const FourWindows& windows) {
    const SimilarityLanes four = similarities<Kind>(windows);
    if constexpr (Kind != Similarities::contrast_structure) ssim = vaddq_f64(ssim, four.ssim);
    if constexpr (Kind == Similarities::all) luminance = vaddq_f64(luminance, four.luminance);
    if constexpr (Kind != Similarities::ssim) {
      contrast = vaddq_f64(contrast, four.contrast);
      structure = vaddq_f64(structure, four.structure);
    }
    largest_structure = larger(largest_structure, vabsq_f32(windows.structure));
  }
  [[nodiscard]] WindowSimilarity total() const {
    return {vaddvq_f64(luminance), vaddvq_f64(contrast), vaddvq_f64(structure), vaddvq_f64(ssim)};
  }
};

/// The least work that gives the means that are needed.
Similarities similarities_for(const metrics::SsimParts& needed) {
  if (needed.luminance) return Similarities::all;
  if (needed.ssim) {
    return needed.contrast || needed.structure ? Similarities::all : Similarities::ssim;
  }
  return Similarities::contrast_structure;
}

/// Where a strip lies in the plane of windows.
struct StripPlace {
  StripPlace(std::size_t number, int windows)
      : left(static_cast<int>(number) * kColumns), columns(std::min(kColumns, windows - left)) {}

  int left;
  int columns;
};

}  // namespace

template <Similarities Kind>
metrics::SimilaritySums Ssim::visit_strip(SsimStrip& strip, ConstFloatView a, ConstFloatView b,
                                          metrics::SampleKind kind, std::size_t number) {
  const StripPlace place(number, a.width - kLastRow);
  LaneSums<Kind> lanes;
  metrics::SimilaritySums result;
  const auto columns = static_cast<std::size_t>(place.columns);
  const std::size_t in_fours = columns / 4 * 4;
  for (int first = 0; first < a.height; first += kRows) {
    strip.advance(a, b, kind, place.left, place.columns, first);
    const int begin = std::max(0, kLastRow - first);
    const int end = std::min(kRows, a.height - first);
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
      for (std::size_t x = 0; x < in_fours; x += 4) lanes.add(four_windows(strip.moments(), r, x));
      for (std::size_t x = in_fours; x < columns; ++x) {
        const WindowSimilarity one = metrics::window_similarity(window(strip.moments(), r, x));
        result.sums += one;
        result.largest_structure = std::max(result.largest_structure, std::abs(one.structure));
      }
    }
  }
  result.sums += lanes.total();
  result.largest_structure =
      std::max(result.largest_structure, static_cast<double>(vmaxvq_f32(lanes.largest_structure)));
  return result;
}

Ssim::Ssim(int max_width, std::size_t threads) {
  const auto across = static_cast<std::size_t>(strips_across(max_width));
  strips_.resize(std::max(threads, across));
  sums_.resize(across);
}

SsimMeans Ssim::operator()(ConstFloatView a, ConstFloatView b, metrics::SampleKind kind,
                           const metrics::SsimParts& needed, metrics::RowTeam& rows) {
  assert(a.width == b.width && a.height == b.height);
  assert(a.width >= metrics::kSsimWindow && a.height >= metrics::kSsimWindow);
  const int width = a.width - kLastRow;
  const auto across = static_cast<std::size_t>(strips_across(width));
  const auto visit_strips = [&]<Similarities Kind>() {
    rows.run(across, [&](std::size_t piece, std::size_t thread) {
      sums_[piece] = visit_strip<Kind>(strips_[thread], a, b, kind, piece);
    });
  };
  switch (similarities_for(needed)) {
    case Similarities::ssim:
      visit_strips.template operator()<Similarities::ssim>();
      break;
    case Similarities::contrast_structure:
      visit_strips.template operator()<Similarities::contrast_structure>();
      break;
    case Similarities::all:
      visit_strips.template operator()<Similarities::all>();
      break;
  }

  metrics::SimilaritySums total;
  for (std::size_t piece = 0; piece < across; ++piece) {
    total.sums += sums_[piece].sums;
    total.largest_structure = std::max(total.largest_structure, sums_[piece].largest_structure);
  }
  total.windows =
      static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(a.height - kLastRow);
  // A chain of additions is no longer than a strip's windows, and then there are those over strips:
  // less than the error of one chain over all windows by the ratio of the lengths.
  const double longest = static_cast<double>(kColumns) * a.height + 2 * static_cast<double>(across);
  const auto terms = static_cast<double>(total.windows);
  total.error = 2 * metrics::serial_sum_error(total.windows, 1) * std::min(1.0, longest / terms) +
                terms * kSimilarityError;
  if (const auto means = metrics::certified_means(total, needed)) return *means;
  ++open_means_;
  return in_raster_order(a, b, kind);
}

SsimMeans Ssim::in_raster_order(ConstFloatView a, ConstFloatView b, metrics::SampleKind kind) {
  const int width = a.width - kLastRow;
  const auto across = static_cast<std::size_t>(strips_across(width));
  const auto row_windows = static_cast<std::size_t>(width);
  WindowSimilarity sums{};
  for (int first = 0; first < a.height; first += kRows) {
    const auto begin = static_cast<std::size_t>(std::max(0, kLastRow - first));
    const auto end = static_cast<std::size_t>(std::min(kRows, a.height - first));
    for (std::size_t piece = 0; piece < across; ++piece) {
      const StripPlace place(piece, width);
      strips_[piece].advance(a, b, kind, place.left, place.columns, first);
    }
    for (std::size_t r = begin; r < end; ++r) {
      for (std::size_t x = 0; x < row_windows; ++x) {
        sums +=
            metrics::window_similarity(window(strips_[x / kColumns].moments(), r, x % kColumns));
      }
    }
  }
  const double windows = static_cast<double>(width) * static_cast<double>(a.height - kLastRow);
  return {static_cast<float>(sums.luminance / windows), static_cast<float>(sums.contrast / windows),
          static_cast<float>(sums.structure / windows), static_cast<float>(sums.ssim / windows)};
}

}  // namespace sidecore::neon
