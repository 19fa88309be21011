#include "h264/deblocking.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <vector>

#include "base/error.h"

namespace sidecore::h264 {
namespace {

// alpha' and beta' of table 8-16, for 8 bits.
constexpr std::array<std::uint8_t, kIndices> kAlpha = {
    0,  0,  0,  0,  0,  0,  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,  4,  4,
    5,  6,  7,  8,  9,  10, 12,  13,  15,  17,  20,  22,  25,  28,  32,  36, 40, 45,
    50, 56, 63, 71, 80, 90, 101, 113, 127, 144, 162, 182, 203, 226, 255, 255};
constexpr std::array<std::uint8_t, kIndices> kBeta = {
    0, 0, 0, 0, 0, 0, 0, 0, 0,  0,  0,  0,  0,  0,  0,  0,  2,  2,  2,  3,  3,  3,  3,  4,  4,  4,
    6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18};
// tC0 of table 8-17, for bS of 1, 2 and 3.
constexpr std::array<std::array<std::uint8_t, 3>, kIndices> kTc0 = {
    {{0, 0, 0},    {0, 0, 0},    {0, 0, 0},   {0, 0, 0},  {0, 0, 0},   {0, 0, 0},   {0, 0, 0},
     {0, 0, 0},    {0, 0, 0},    {0, 0, 0},   {0, 0, 0},  {0, 0, 0},   {0, 0, 0},   {0, 0, 0},
     {0, 0, 0},    {0, 0, 0},    {0, 0, 0},   {0, 0, 1},  {0, 0, 1},   {0, 0, 1},   {0, 0, 1},
     {0, 1, 1},    {0, 1, 1},    {1, 1, 1},   {1, 1, 1},  {1, 1, 1},   {1, 1, 1},   {1, 1, 2},
     {1, 1, 2},    {1, 1, 2},    {1, 1, 2},   {1, 2, 3},  {1, 2, 3},   {2, 2, 3},   {2, 2, 4},
     {2, 3, 4},    {2, 3, 4},    {3, 3, 5},   {3, 4, 6},  {3, 4, 6},   {4, 5, 7},   {4, 5, 8},
     {4, 6, 9},    {5, 7, 10},   {6, 8, 11},  {6, 8, 13}, {7, 10, 14}, {8, 11, 16}, {9, 12, 18},
     {10, 13, 20}, {11, 15, 23}, {13, 17, 25}}};

// Filters one line. `step` is the distance between neighbouring samples across the edge.
// The filter depends on filterSamplesFlag (section 8.7.2.2) and bS.
class Line {
 public:
  Line(std::uint8_t* q0, std::ptrdiff_t step, const EdgeThresholds& thresholds, bool chroma)
      : q0_(q0), step_(step), thresholds_(thresholds), chroma_(chroma) {}

  void filter(std::size_t strength) const {
    if (strength == 0 || !is_filtered(q0_, step_, thresholds_)) return;
    if (strength < 4) return filter_by(thresholds_.tc0[strength]);
    // p and q of the specification are exchanged for the other side.
    const std::array<int, 4> old_p = side(-1);
    const std::array<int, 4> old_q = side(+1);
    filter_strongly(old_p, old_q, -1);
    filter_strongly(old_q, old_p, +1);
  }

 private:
  [[nodiscard]] int p(std::ptrdiff_t i) const { return q0_[-(i + 1) * step_]; }
  [[nodiscard]] int q(std::ptrdiff_t i) const { return q0_[i * step_]; }
  // Returns samples 0 to 3 of the side `sign`: -1 is p and +1 is q. Chroma has only samples 0
  // and 1.
  [[nodiscard]] std::array<int, 4> side(int sign) const {
    const auto at = [&](std::ptrdiff_t i) { return sign < 0 ? p(i) : q(i); };
    return chroma_ ? std::array{at(0), at(1), 0, 0} : std::array{at(0), at(1), at(2), at(3)};
  }
  void set(int sign, std::ptrdiff_t i, int sample) const {
    q0_[(sign < 0 ? -(i + 1) : i) * step_] = static_cast<std::uint8_t>(sample);
  }

  // Section 8.7.2.3.
  void filter_by(int tc0) const {
    const int p0 = p(0);
    const int q0 = q(0);
    const bool near_p = !chroma_ && std::abs(p(2) - p0) < thresholds_.beta;
    const bool near_q = !chroma_ && std::abs(q(2) - q0) < thresholds_.beta;
    const int tc = chroma_ ? tc0 + 1 : tc0 + (near_p ? 1 : 0) + (near_q ? 1 : 0);
    const int delta = std::clamp((((q0 - p0) * 4) + (p(1) - q(1)) + 4) >> 3, -tc, tc);
    const int mean = (p0 + q0 + 1) >> 1;
    const auto second = [&](int s1, int s2) {
      return s1 + std::clamp((s2 + mean - 2 * s1) >> 1, -tc0, tc0);
    };
    if (near_p) set(-1, 1, second(p(1), p(2)));
    if (near_q) set(+1, 1, second(q(1), q(2)));
    set(-1, 0, std::clamp(p0 + delta, 0, 255));
    set(+1, 0, std::clamp(q0 - delta, 0, 255));
  }

  // Section 8.7.2.4 for the side `sign`, whose samples are `s`; `o` are those of the other side.
  void filter_strongly(const std::array<int, 4>& s, const std::array<int, 4>& o, int sign) const {
    const bool smooth = !chroma_ && std::abs(s[2] - s[0]) < thresholds_.beta &&
                        std::abs(s[0] - o[0]) < (thresholds_.alpha >> 2) + 2;
    if (!smooth) return set(sign, 0, (2 * s[1] + s[0] + o[1] + 2) >> 2);
    set(sign, 0, (s[2] + 2 * s[1] + 2 * s[0] + 2 * o[0] + o[1] + 4) >> 3);
    set(sign, 1, (s[2] + s[1] + s[0] + o[0] + 2) >> 2);
    set(sign, 2, (2 * s[3] + 3 * s[2] + s[1] + s[0] + o[0] + 4) >> 3);
  }

  std::uint8_t* q0_;
  std::ptrdiff_t step_;
  const EdgeThresholds& thresholds_;
  bool chroma_;
};

// Filters an edge of `lines` lines; the segments have equal shares of them.
void filter_edge(std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction, int lines,
                 const Strengths& strengths, const EdgeThresholds& thresholds, bool chroma) {
  const bool vertical = direction == EdgeDirection::vertical;
  const int per_segment = lines / static_cast<int>(kEdges);
  for (int line = 0; line < lines; ++line) {
    Line(q0 + line * (vertical ? stride : 1), vertical ? 1 : stride, thresholds, chroma)
        .filter(strengths[static_cast<std::size_t>(line / per_segment)]);
  }
}

void filter_luma(std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction,
                 const Strengths& strengths, const EdgeThresholds& thresholds) {
  filter_edge(q0, stride, direction, kMacroblock, strengths, thresholds, false);
}

void filter_chroma(const std::array<std::uint8_t*, 2>& q0, std::ptrdiff_t stride,
                   EdgeDirection direction, const Strengths& strengths,
                   const std::array<EdgeThresholds, 2>& thresholds) {
  for (std::size_t plane = 0; plane < q0.size(); ++plane) {
    filter_edge(q0[plane], stride, direction, kMacroblock / 2, strengths, thresholds[plane], true);
  }
}

bool is_empty(const Strengths& strengths) {
  return strengths == Strengths{};
}

void check_edge(const Strengths& strengths, std::size_t edge, bool border) {
  const auto strong = std::ranges::count(strengths, 4);
  if (std::ranges::max(strengths) > 4) throw usage_error("a filter strength is above 4");
  if (strong != 0 && (edge != 0 || strong != static_cast<std::ptrdiff_t>(kEdges))) {
    throw usage_error("strength 4 must hold for all segments of a macroblock's border");
  }
  if (border && !is_empty(strengths)) {
    throw usage_error("an edge on the picture's border has a strength above 0");
  }
}

}  // namespace

EdgeThresholds edge_thresholds(const EdgeIndices& indices) {
  assert(indices.a < kIndices && indices.b < kIndices);
  const auto& tc0 = kTc0[indices.a];
  return {kAlpha[indices.a], kBeta[indices.b], {0, tc0[0], tc0[1], tc0[2]}};
}

bool is_filtered(const std::uint8_t* q0, std::ptrdiff_t step, const EdgeThresholds& thresholds) {
  return std::abs(q0[-step] - q0[0]) < thresholds.alpha &&
         std::abs(q0[-2 * step] - q0[-step]) < thresholds.beta &&
         std::abs(q0[step] - q0[0]) < thresholds.beta;
}

bool is_filtered_strongly(const std::uint8_t* q0, std::ptrdiff_t step,
                          const EdgeThresholds& thresholds) {
  return std::abs(q0[-step] - q0[0]) < (thresholds.alpha >> 2) + 2 &&
         (std::abs(q0[-3 * step] - q0[-step]) < thresholds.beta ||
          std::abs(q0[2 * step] - q0[0]) < thresholds.beta);
}

const DeblockingKernels& scalar_deblocking() {
  static constexpr DeblockingKernels kKernels{filter_luma, filter_chroma};
  return kKernels;
}

void check_macroblocks(const video::PictureFormat& format,
                       std::span<const Macroblock> macroblocks) {
  if (format.pixel != video::PixelFormat{} || format.width % kMacroblock != 0 ||
      format.height % kMacroblock != 0) {
    throw usage_error("deblocking needs 4:2:0, 8 bits and whole macroblocks, not {}",
                      to_string(format));
  }
  const int columns = format.width / kMacroblock;
  const auto count =
      static_cast<std::size_t>(columns) * static_cast<std::size_t>(format.height / kMacroblock);
  if (macroblocks.size() != count) {
    throw usage_error("a picture of {} has {} macroblocks, not {}", to_string(format), count,
                      macroblocks.size());
  }
  for (std::size_t index = 0; index < count; ++index) {
    const Macroblock& macroblock = macroblocks[index];
    const std::array border = {index % static_cast<std::size_t>(columns) == 0,
                               index < static_cast<std::size_t>(columns)};
    for (const auto direction : {EdgeDirection::vertical, EdgeDirection::horizontal}) {
      for (std::size_t edge = 0; edge < kEdges; ++edge) {
        check_edge(macroblock.edge(direction, edge), edge,
                   edge == 0 && border[static_cast<std::size_t>(direction)]);
      }
    }
    for (const auto& plane : macroblock.indices) {
      for (const EdgeIndices& indices : plane) {
        if (std::max(indices.a, indices.b) >= kIndices) throw usage_error("an index is above 51");
      }
    }
  }
}

namespace {

// Filters the edges of one direction of a macroblock. `q0` are its first samples in each plane.
void deblock_direction(const DeblockingKernels& kernels, const Macroblock& macroblock,
                       EdgeDirection direction, const std::array<std::uint8_t*, 3>& q0,
                       const std::array<std::ptrdiff_t, 2>& strides) {
  const bool vertical = direction == EdgeDirection::vertical;
  for (std::size_t edge = 0; edge < kEdges; ++edge) {
    const Strengths& strengths = macroblock.edge(direction, edge);
    if (is_empty(strengths)) continue;
    const EdgeClass border = vertical ? EdgeClass::left : EdgeClass::top;
    const EdgeClass edges = edge == 0 ? border : EdgeClass::inner;
    const auto thresholds = [&](std::size_t plane) {
      return edge_thresholds(macroblock.indices_of(plane, edges));
    };
    const auto at = static_cast<std::ptrdiff_t>(4 * edge);
    kernels.luma(q0[0] + at * (vertical ? 1 : strides[0]), strides[0], direction, strengths,
                 thresholds(0));
    if (edge % 2 != 0) continue;
    const std::ptrdiff_t chroma_at = at / 2 * (vertical ? 1 : strides[1]);
    kernels.chroma({q0[1] + chroma_at, q0[2] + chroma_at}, strides[1], direction, strengths,
                   {thresholds(1), thresholds(2)});
  }
}

}  // namespace

Planes planes_of(video::Picture& picture) {
  return {picture.plane<std::uint8_t>(0), picture.plane<std::uint8_t>(1),
          picture.plane<std::uint8_t>(2)};
}

void deblock(const DeblockingKernels& kernels, const Planes& planes,
             std::span<const Macroblock> macroblocks, std::size_t first, std::size_t last) {
  const std::array strides = {planes[0].stride, planes[1].stride};
  const auto columns = static_cast<std::size_t>(planes[0].width / kMacroblock);
  for (std::size_t index = first; index < last; ++index) {
    const int x = static_cast<int>(index % columns) * kMacroblock;
    const int y = static_cast<int>(index / columns) * kMacroblock;
    const std::array q0 = {planes[0].row(y) + x, planes[1].row(y / 2) + x / 2,
                           planes[2].row(y / 2) + x / 2};
    deblock_direction(kernels, macroblocks[index], EdgeDirection::vertical, q0, strides);
    deblock_direction(kernels, macroblocks[index], EdgeDirection::horizontal, q0, strides);
  }
}

void deblock(const DeblockingKernels& kernels, const Planes& planes,
             std::span<const Macroblock> macroblocks, ThreadTeam& team) {
  constexpr std::size_t kPart = 8;  // number of macroblocks between two signals to the next row
  const auto columns = static_cast<std::size_t>(planes[0].width / kMacroblock);
  const std::size_t rows = macroblocks.size() / columns;
  std::vector<std::atomic<std::size_t>> done(rows);  // number of deblocked macroblocks in each row
  team.run(rows, [&](std::size_t row) {
    for (std::size_t first = 0; first < columns; first += kPart) {
      const std::size_t last = std::min(first + kPart, columns);
      // The macroblock to the upper right changes samples above this one.
      const std::size_t needed = std::min(last + 1, columns);
      for (std::size_t above = 0; row != 0 && (above = done[row - 1].load()) < needed;) {
        done[row - 1].wait(above);
      }
      deblock(kernels, planes, macroblocks, row * columns + first, row * columns + last);
      done[row].store(last);
      done[row].notify_one();
    }
  });
}

}  // namespace sidecore::h264
