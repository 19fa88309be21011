#include "tools/h264_call_log.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace sidecore::bench {
namespace {

using h264::EdgeClass;
using h264::EdgeDirection;
using h264::EdgeIndices;
using h264::kEdges;
using h264::kMacroblock;

constexpr std::uint8_t kLastIndex = 51;

/// The edges of one class of a macroblock: direction and number.
struct Edge {
  EdgeDirection direction;
  std::size_t number;
};
std::vector<Edge> edges_of(EdgeClass edges) {
  using enum EdgeDirection;
  if (edges == EdgeClass::left) return {{vertical, 0}};
  if (edges == EdgeClass::top) return {{horizontal, 0}};
  return {{vertical, 1},   {vertical, 2},   {vertical, 3},
          {horizontal, 1}, {horizontal, 2}, {horizontal, 3}};
}

/// Returns the tC0 that a filter call has for a strength.
int tc0_of(const EdgeIndices& indices, std::uint8_t strength) {
  if (strength == 0) return -1;
  return strength == 4 ? DeblockingCall::kStrong : h264::edge_thresholds(indices).tc0[strength];
}

}  // namespace

void H264CallLog::begin(const video::PictureFormat& format,
                        const std::array<std::uint8_t*, 3>& planes,
                        const std::array<int, 3>& strides) {
  finish();
  ++number_;
  planes_ = planes;
  strides_ = strides;
  before_ = video::Picture(format);
  copied_ = 0;
  calls_.assign(static_cast<std::size_t>(format.width / kMacroblock) *
                    static_cast<std::size_t>(format.height / kMacroblock),
                {});
}

void H264CallLog::add(const std::uint8_t* q0, EdgeDirection direction, const DeblockingCall& call) {
  const video::PictureFormat& format = before_.format();
  for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
    const std::ptrdiff_t at = q0 - planes_[plane];
    const std::ptrdiff_t stride = strides_[plane];
    if (at < 0 || at >= stride * format.plane_height(static_cast<int>(plane))) continue;
    const std::ptrdiff_t side = plane == 0 ? kMacroblock : kMacroblock / 2;
    const std::ptrdiff_t x = at % stride;
    const std::ptrdiff_t y = at / stride;
    // The decoder has made a row of macroblocks before it filters the row's first edge. No earlier
    // call changes the row, but this row's calls change the one above.
    copy_rows(static_cast<int>(y / side) + 1);
    const std::ptrdiff_t inside = direction == EdgeDirection::vertical ? x % side : y % side;
    const auto edge = static_cast<std::size_t>(inside * static_cast<std::ptrdiff_t>(kEdges) / side);
    const auto index = static_cast<std::size_t>(y / side * (format.width / kMacroblock) + x / side);
    calls_[index][plane][static_cast<std::size_t>(direction)][edge] = call;
    return;
  }
  throw Error(ErrorKind::failed, "the decoder filtered an edge outside its picture");
}

// Copies rows of macroblocks up to `last` from the decoder.
void H264CallLog::copy_rows(int last) {
  for (int plane = 0; plane < 3 && copied_ < last; ++plane) {
    const auto to = before_.plane<std::uint8_t>(plane);
    const auto index = static_cast<std::size_t>(plane);
    const int side = plane == 0 ? kMacroblock : kMacroblock / 2;
    for (int y = copied_ * side; y < last * side; ++y) {
      std::copy_n(planes_[index] + std::ptrdiff_t{y} * strides_[index], to.width, to.row(y));
    }
  }
  copied_ = std::max(copied_, last);
}

void H264CallLog::finish() {
  if (number_ == 0 || calls_.empty()) return;
  copy_rows(before_.format().height / kMacroblock);
  h264::DeblockingWork work{std::move(before_), {}};
  work.macroblocks.reserve(calls_.size());
  for (const Calls& calls : calls_) work.macroblocks.push_back(macroblock_of(calls));
  calls_.clear();
  check(work);
  if (std::ranges::count(wanted_, number_ - 1) != 0) kept_.emplace(number_ - 1, std::move(work));
}

void H264CallLog::check(const h264::DeblockingWork& work) const {
  const video::PictureFormat& format = work.picture.format();
  h264::check_macroblocks(format, work.macroblocks);
  for (const auto* kernels : {&h264::scalar_deblocking(), &h264::neon_deblocking()}) {
    video::Picture picture(format);
    std::ranges::copy(work.picture.bytes(), picture.bytes().begin());
    h264::deblock(*kernels, h264::planes_of(picture), work.macroblocks, 0, work.macroblocks.size());
    for (int plane = 0; plane < 3; ++plane) {
      const auto ours = picture.plane<std::uint8_t>(plane);
      const auto index = static_cast<std::size_t>(plane);
      for (int y = 0; y < ours.height; ++y) {
        const std::uint8_t* const theirs = planes_[index] + std::ptrdiff_t{y} * strides_[index];
        if (std::equal(ours.row(y), ours.row(y) + ours.width, theirs)) continue;
        throw Error(ErrorKind::failed,
                    fmt::format("picture {}, plane {}, row {}: the deblocked samples differ from "
                                "the decoder's",
                                number_ - 1, plane, y));
      }
    }
  }
}

namespace {

/// Returns the indices that have these thresholds; several, because tables 8-16 and 8-17 repeat
/// values. An edge that the decoder does not filter may have any alpha; 0 then keeps it unfiltered.
std::vector<EdgeIndices> candidates_of(const DeblockingCall* call) {
  if (call == nullptr) return {EdgeIndices{}};
  std::vector<EdgeIndices> candidates;
  EdgeIndices indices;
  while (indices.b < kLastIndex && h264::edge_thresholds(indices).beta != call->beta) ++indices.b;
  for (; indices.a <= kLastIndex; ++indices.a) {
    if (h264::edge_thresholds(indices).alpha == call->alpha) candidates.push_back(indices);
  }
  return candidates;
}

/// Finds the strength of a segment for which each plane's call has its tC0.
std::optional<std::uint8_t> find_strength(const std::array<const DeblockingCall*, 3>& calls,
                                          const std::array<EdgeIndices, 3>& indices,
                                          std::size_t segment) {
  for (std::uint8_t strength = 0; strength <= 4; ++strength) {
    bool explains = true;
    for (std::size_t plane = 0; plane < calls.size(); ++plane) {
      if (calls[plane] == nullptr) continue;
      explains = explains && tc0_of(indices[plane], strength) == calls[plane]->tc0[segment];
    }
    if (explains) return strength;
  }
  return std::nullopt;
}

}  // namespace

// Tries all indices that have the calls' thresholds, until strengths explain all calls.
h264::Macroblock H264CallLog::macroblock_of(const Calls& calls) const {
  h264::Macroblock macroblock;
  const auto call_of = [&](std::size_t plane, const Edge& edge) {
    const auto& call = calls[plane][static_cast<std::size_t>(edge.direction)][edge.number];
    return call ? &*call : nullptr;
  };
  const auto explain = [&](EdgeClass edges, const std::array<EdgeIndices, 3>& indices) {
    for (const Edge& edge : edges_of(edges)) {
      const std::array of_planes = {call_of(0, edge), call_of(1, edge), call_of(2, edge)};
      auto& strengths = macroblock.strengths[static_cast<std::size_t>(edge.direction)][edge.number];
      strengths = {};
      if (std::ranges::count(of_planes, nullptr) == 3) continue;
      for (std::size_t segment = 0; segment < kEdges; ++segment) {
        const auto strength = find_strength(of_planes, indices, segment);
        if (!strength) return false;
        strengths[segment] = *strength;
      }
    }
    for (std::size_t plane = 0; plane < indices.size(); ++plane) {
      macroblock.indices[plane][static_cast<std::size_t>(edges)] = indices[plane];
    }
    return true;
  };
  for (const EdgeClass edges : {EdgeClass::left, EdgeClass::top, EdgeClass::inner}) {
    std::array<std::vector<EdgeIndices>, 3> candidates;
    for (std::size_t plane = 0; plane < candidates.size(); ++plane) {
      const DeblockingCall* any = nullptr;
      for (const Edge& edge : edges_of(edges)) {
        if (const DeblockingCall* const call = call_of(plane, edge)) any = call;
      }
      candidates[plane] = candidates_of(any);
    }
    bool found = false;
    for (const EdgeIndices& y : candidates[0]) {
      for (const EdgeIndices& cb : candidates[1]) {
        for (const EdgeIndices& cr : candidates[2]) {
          found = found || explain(edges, {y, cb, cr});
        }
      }
    }
    if (!found) throw Error(ErrorKind::failed, "no strengths and indices explain a macroblock");
  }
  return macroblock;
}

}  // namespace sidecore::bench
