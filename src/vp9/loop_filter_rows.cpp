#include "vp9/loop_filter_rows.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "vp9/back_end.h"
#include "vp9/types.h"

namespace sidecore::vp9 {
namespace {

/// Number of superblocks that are filtered between two checks of the row above.
constexpr int kSuperblocksPerCheck = 4;

}  // namespace

void LoopFilterRows::start(int rows, int columns, int at_once) {
  columns_ = columns;
  at_once_ = std::min(rows, at_once);
  rows_.resize(std::max(rows_.size(), static_cast<std::size_t>(at_once_)));
  for (Row& row : rows_) {
    row.edges.require(static_cast<std::size_t>(columns) * kMaxEdgesPerSuperblock);
    row.ends.reserve(static_cast<std::size_t>(columns));
  }
  progress_.start(rows, columns);
}

EdgeCounts LoopFilterRows::derive(const FrameHeader& header, const PictureData& picture, int row) {
  Row& to = rows_[place_of(row)];
  to.ends.clear();
  EdgeCounts counts{};
  LoopFilterEdge* end = to.edges.data();
  for (int column = 0; column < columns_; ++column) {
    end = derive_superblock_edges(header, picture, row, column, end, counts);
    to.ends.push_back(static_cast<std::uint32_t>(end - to.edges.data()));
  }
  return counts;
}

void LoopFilterRows::divide(std::span<const LoopFilterEdge> edges, const PlaneScales& scales) {
  const auto place = [&](const LoopFilterEdge& edge) {
    return std::pair(
        static_cast<std::size_t>(edge.y * scales.vertical[edge.plane] / kSuperblock),
        static_cast<std::size_t>(edge.x * scales.horizontal[edge.plane] / kSuperblock));
  };
  // `ends` holds first the number of edges per superblock, then the index of each superblock's
  // first edge, and at last the index after its last edge.
  for (Row& row : rows_) row.ends.assign(static_cast<std::size_t>(columns_), 0);
  for (const LoopFilterEdge& edge : edges) {
    const auto [row, column] = place(edge);
    ++rows_[row].ends[column];
  }
  for (Row& row : rows_) {
    std::uint32_t count = 0;
    for (std::uint32_t& end : row.ends) count += std::exchange(end, count);
    row.edges.require(count);
  }
  for (const LoopFilterEdge& edge : edges) {
    const auto [row, column] = place(edge);
    rows_[row].edges[rows_[row].ends[column]++] = edge;
  }
}

bool LoopFilterRows::filter(const StreamDsp& dsp, FrameBuffer& frame, int sharpness, int row,
                            StageClock& clock) {
  return std::visit(
      [&](const auto* table) { return filter_by(*table, frame, sharpness, row, clock); }, dsp);
}

template <class Sample>
bool LoopFilterRows::filter_by(const Dsp<Sample>& dsp, FrameBuffer& frame, int sharpness, int row,
                               StageClock& clock) {
  const LoopFilterPlanes<Sample> planes = planes_of<Sample>(frame);
  const Row& all = rows_[place_of(row)];
  RowProgress::Row progress(progress_, static_cast<std::size_t>(row));
  std::size_t begin = 0;
  while (progress.done() < columns_) {
    const int count = std::min(kSuperblocksPerCheck, columns_ - progress.done());
    if (!progress.wait_for_above(count + 1)) return false;
    clock.restart();
    const std::size_t end = all.ends[static_cast<std::size_t>(progress.done() + count - 1)];
    filter_edges(dsp, planes, {all.edges.data() + begin, end - begin}, sharpness);
    clock.lap(ClockRow::loop_filter);
    begin = end;
    progress.advance(count);
  }
  return true;
}

}  // namespace sidecore::vp9
