#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "vp9/back_end.h"
#include "vp9/loop_filter_rows.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/row_progress.h"
#include "vp9/types.h"

namespace sidecore::vp9 {
namespace {

class CpuLoopFilter final : public BackEnd {
 public:
  void filter(FrameBuffer& frame, const LoopFilterEdges& edges, int sharpness,
              const StageContext& context) override {
    const auto superblocks = [](int samples) { return (samples + kSuperblock - 1) / kSuperblock; };
    const video::PictureFormat format = frame.memory.format();
    const int rows = superblocks(format.height);
    const int columns = superblocks(format.width);
    progress_.start(rows, columns);
    divide(edges.all(), PlaneScales(format.pixel.chroma), rows, columns);
    context.clock.lap(ClockRow::loop_filter);
    const auto filter_row = [&](std::size_t row, StageClock& clock) {
      RowProgress::Row filtered(progress_, row);
      const auto filter_group = [&](int column, int count) {
        clock.restart();
        const auto first = static_cast<std::size_t>(column);
        const std::vector<std::uint32_t>& ends = rows_[row].ends;
        const std::size_t begin = first > 0 ? ends[first - 1] : 0;
        const std::size_t end = ends[first + static_cast<std::size_t>(count) - 1];
        const std::span group(rows_[row].edges.data() + begin, end - begin);
        std::visit(
            [&]<class Sample>(const Dsp<Sample>* dsp) {
              filter_edges(*dsp, planes_of<Sample>(frame), group, sharpness);
            },
            context.dsp);
        clock.lap(ClockRow::loop_filter);
      };
      // The result can be ignored: if the row above failed, its own call throws.
      static_cast<void>(filter_superblocks(filtered, columns, true, filter_group));
    };
    context.run(context.team, static_cast<std::size_t>(rows), filter_row);
  }

 private:
  struct Row {
    Storage<LoopFilterEdge> edges;
    std::vector<std::uint32_t> ends;  ///< end of each superblock's edges in `edges`
  };

  /// Divides a list in the order of the scalar definition into superblocks.
  void divide(std::span<const LoopFilterEdge> edges, const PlaneScales& scales, int rows,
              int columns) {
    rows_.resize(static_cast<std::size_t>(rows));
    const auto place = [&](const LoopFilterEdge& edge) {
      return std::pair(
          static_cast<std::size_t>(edge.y * scales.vertical[edge.plane] / kSuperblock),
          static_cast<std::size_t>(edge.x * scales.horizontal[edge.plane] / kSuperblock));
    };
    // `ends` holds first the number of edges per superblock, then the index of each superblock's
    // first edge, and at last the index after its last edge.
    for (Row& row : rows_) row.ends.assign(static_cast<std::size_t>(columns), 0);
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

  std::vector<Row> rows_;  ///< the list of each row of superblocks
  RowProgress progress_;
};

}  // namespace

std::unique_ptr<BackEnd> make_cpu_loop_filter() {
  return std::make_unique<CpuLoopFilter>();
}

}  // namespace sidecore::vp9
