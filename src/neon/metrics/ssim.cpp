#include "neon/metrics/ssim.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "metrics/certified_mean.h"
#include "neon/metrics/ssim_similarity.h"
#include "neon/metrics/ssim_strip.h"

namespace sidecore::neon {
namespace {

using metrics::SsimMeans;
using metrics::WindowSimilarity;
using video::PlaneView;

constexpr int kColumns = SsimStrip::kColumns;
constexpr int kStripRows = SsimStrip::kRows;
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

metrics::WindowMoments window(const SsimStrip::Moments& moments, std::size_t row,
                              std::size_t column) {
  return {moments[0][row][column], moments[1][row][column], moments[2][row][column],
          moments[3][row][column], moments[4][row][column]};
}

FourWindows four_windows(const SsimStrip::Moments& moments, std::size_t row) {
  const auto lanes = [&](std::size_t moment) { return vld1q_f32(moments[moment][row].data()); };
  return {lanes(0), lanes(1), lanes(2), lanes(3), lanes(4)};
}

/// Sums of one kind of similarities over windows, in pairs of lanes.
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
    largest_structure = vmaxq_f32(largest_structure, vabsq_f32(windows.structure));
  }
  [[nodiscard]] WindowSimilarity total() const {
    return {vaddvq_f64(luminance), vaddvq_f64(contrast), vaddvq_f64(structure), vaddvq_f64(ssim)};
  }
};

/// Returns the cheapest kind of similarities that gives the required means.
Similarities similarities_for(const metrics::SsimParts& needed) {
  if (needed.luminance) return Similarities::all;
  if (needed.ssim) {
    return needed.contrast || needed.structure ? Similarities::all : Similarities::ssim;
  }
  return Similarities::contrast_structure;
}

/// Location of a strip in the plane of windows.
struct StripPlace {
  StripPlace(std::size_t number, int windows)
      : left(static_cast<int>(number) * kColumns), columns(std::min(kColumns, windows - left)) {}

  int left;
  int columns;
};

/// Rows of an advance() in which windows are completed.
struct StripRows {
  StripRows(int first, int height)
      : begin(static_cast<std::size_t>(std::max(0, kLastRow - first))),
        end(static_cast<std::size_t>(std::min(kStripRows, height - first))) {}

  std::size_t begin, end;
};

/// Adds the windows of the first `columns` columns to the sums, with the arithmetic of the scalar
/// definition.
void add_windows(const SsimStrip::Moments& moments, const StripRows& rows, std::size_t columns,
                 metrics::SimilaritySums& to) {
  for (std::size_t r = rows.begin; r < rows.end; ++r) {
    for (std::size_t x = 0; x < columns; ++x) {
      const WindowSimilarity one = metrics::window_similarity(window(moments, r, x));
      to.sums += one;
      to.largest_structure = std::max(to.largest_structure, std::abs(one.structure));
    }
  }
}

}  // namespace

template <Similarities Kind, class Sample>
metrics::SimilaritySums Ssim::visit_strip(SsimStrip& strip, PlaneView<const Sample> a,
                                          PlaneView<const Sample> b, std::size_t number) {
  const StripPlace place(number, a.width - kLastRow);
  LaneSums<Kind> lanes;
  metrics::SimilaritySums result;
  const auto columns = static_cast<std::size_t>(place.columns);
  for (int first = 0; first < a.height; first += kStripRows) {
    strip.advance(a, b, place.left, place.columns, first);
    const StripRows rows(first, a.height);
    for (std::size_t x = 0; x < columns; x += 4) {
      const SsimStrip::Moments& moments = strip.next_four();
      if (x + 4 > columns) {
        add_windows(moments, rows, columns - x, result);
        continue;
      }
      for (std::size_t r = rows.begin; r < rows.end; ++r) lanes.add(four_windows(moments, r));
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

template <class Sample>
SsimMeans Ssim::operator()(PlaneView<const Sample> a, PlaneView<const Sample> b,
                           const metrics::SsimParts& needed, ThreadTeam& rows) {
  assert(a.width == b.width && a.height == b.height);
  assert(a.width >= metrics::kSsimWindow && a.height >= metrics::kSsimWindow);
  const int width = a.width - kLastRow;
  const auto across = static_cast<std::size_t>(strips_across(width));
  const auto visit_strips = [&]<Similarities Kind>() {
    rows.run(across, [&](std::size_t piece, std::size_t thread) {
      sums_[piece] = visit_strip<Kind>(strips_[thread], a, b, piece);
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
  // A chain of additions is no longer than a strip's windows plus the additions over strips. Each
  // addition of a chain rounds its sum by at most 2^-53 of that sum.
  const double longest = static_cast<double>(kColumns) * a.height + 2 * static_cast<double>(across);
  const auto terms = static_cast<double>(total.windows);
  const double order = (terms + 1) * std::min(terms, longest) * 0x1p-53;
  const double ratios = order + terms * kSimilarityError;
  total.errors = {ratios, ratios, order, ratios};
  auto [means, undecided] = metrics::certified_means(total, needed);
  for (std::size_t part = 0; part < metrics::kSsimParts.size(); ++part) {
    if (!(undecided.*metrics::kSsimParts[part])) continue;
    means.*metrics::kSsimMeans[part] = in_raster_order(a, b, static_cast<metrics::SsimPart>(part));
    ++undecided_means_;
  }
  return means;
}

template <metrics::SsimPart Part, class Sample>
float Ssim::mean_in_raster_order(PlaneView<const Sample> a, PlaneView<const Sample> b) {
  const int width = a.width - kLastRow;
  const auto across = static_cast<std::size_t>(strips_across(width));
  for (std::vector<double>& row : terms_) row.resize(across * kColumns);
  double sum = 0;
  for (int first = 0; first < a.height; first += kStripRows) {
    const StripRows rows(first, a.height);
    for (std::size_t piece = 0; piece < across; ++piece) {
      const StripPlace place(piece, width);
      SsimStrip& strip = strips_[piece];
      strip.advance(a, b, place.left, place.columns, first);
      for (std::size_t x = 0; x < static_cast<std::size_t>(place.columns); x += 4) {
        const SsimStrip::Moments& moments = strip.next_four();
        for (std::size_t r = rows.begin; r < rows.end; ++r) {
          store_similarities<Part>(four_windows(moments, r), &terms_[r][piece * kColumns + x]);
        }
      }
    }
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) sum += terms_[r][x];
    }
  }
  const double windows = static_cast<double>(width) * static_cast<double>(a.height - kLastRow);
  return static_cast<float>(sum / windows);
}

template <class Sample>
float Ssim::in_raster_order(PlaneView<const Sample> a, PlaneView<const Sample> b,
                            metrics::SsimPart part) {
  using metrics::SsimPart;
  switch (part) {
    case SsimPart::luminance:
      return mean_in_raster_order<SsimPart::luminance>(a, b);
    case SsimPart::contrast:
      return mean_in_raster_order<SsimPart::contrast>(a, b);
    case SsimPart::structure:
      return mean_in_raster_order<SsimPart::structure>(a, b);
    case SsimPart::ssim:
      break;
  }
  return mean_in_raster_order<SsimPart::ssim>(a, b);
}

template SsimMeans Ssim::operator()(PlaneView<const std::uint8_t>, PlaneView<const std::uint8_t>,
                                    const metrics::SsimParts&, ThreadTeam&);
template SsimMeans Ssim::operator()(PlaneView<const float>, PlaneView<const float>,
                                    const metrics::SsimParts&, ThreadTeam&);
template float Ssim::in_raster_order(PlaneView<const std::uint8_t>, PlaneView<const std::uint8_t>,
                                     metrics::SsimPart);
template float Ssim::in_raster_order(PlaneView<const float>, PlaneView<const float>,
                                     metrics::SsimPart);

}  // namespace sidecore::neon
