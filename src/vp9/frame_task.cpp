#include "vp9/frame_task.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "vp9/block_tables.h"
#include "vp9/loop_filter_rows.h"

namespace sidecore::vp9 {
namespace {

/// Number of luma lines, above the end of a filtered row of superblocks, that the next row's filter
/// changes. It corresponds to 8 lines of subsampled chroma.
constexpr int kChangedByNextRow = 16;

/// Returns how many luma rows of a reference of the frame's own size an inter block may read, in
/// any plane, including the filter taps.
int count_needed_rows(const Block& block, std::size_t which) {
  // Number of luma lines below a block that prediction may read: 8 for the taps, because they reach
  // 4 rows of chroma, and a margin.
  constexpr int kReachBelow = 16;
  int mv = block.mv[0][which].row;
  for (const auto& of_sub_block : block.mv) mv = std::max<int>(mv, of_sub_block[which].row);
  return (block.row + kHeightIn8[block.size]) * kUnit + (mv >> 3) + kReachBelow;
}

EdgeCounts count(std::span<const LoopFilterEdge> edges) {
  EdgeCounts counts{};
  for (const LoopFilterEdge& edge : edges) {
    ++counts[static_cast<std::size_t>(edge.direction)][edge.width == 16 ? 2 : edge.width / 8];
  }
  return counts;
}

/// Marks a frame as failed when it goes out of scope, unless avert() was called.
class FailUnlessAverted {
 public:
  explicit FailUnlessAverted(FinalRows& rows) : rows_(&rows) {}
  ~FailUnlessAverted() {
    if (rows_ != nullptr) rows_->fail();
  }
  FailUnlessAverted(const FailUnlessAverted&) = delete;
  FailUnlessAverted& operator=(const FailUnlessAverted&) = delete;
  void avert() { rows_ = nullptr; }

 private:
  FinalRows* rows_;
};

}  // namespace

void FrameTask::start(const Settings& settings, const FrameHeader& header, const StreamDsp& dsp,
                      std::shared_ptr<FrameBuffer> frame, References references, ThreadPool& pool) {
  settings_ = settings;
  header_ = header;
  dsp_ = dsp;
  frame_ = std::move(frame);
  references_ = std::move(references);
  const int rows = picture_.superblock_rows();
  const int columns = picture_.superblock_columns();
  reconstructed_.start(rows, columns);
  if (filters_rows()) {
    // When a piece begins, all earlier pieces but those on other threads have ended, and rows end
    // in order. So each thread needs edges for one row. The lines of one row more are needed,
    // because the row below reads them. If a row fails, later rows may overwrite lines that are in
    // use; the frame is lost then.
    filtered_.start(rows, columns);
    group_edges_.resize(std::max(group_edges_.size(), pool.threads()));
    for (auto& edges : group_edges_) edges.require(kFilteredAtOnce * kMaxEdgesPerSuperblock);
    unfiltered_.start(frame_->memory, pool.threads() + 1);
  }
  if (!settings_.reconstructs) {
    reconstruction_.emplace(dsp_, header_, picture_, *frame_, references_,
                            filters_rows() ? &unfiltered_ : nullptr);
  }
  for (auto& direction : edge_counts_) {
    for (auto& count : direction) count = 0;
  }
  if (settings_.back_end != nullptr && settings_.observer->parsed) {
    settings_.observer->parsed({header_, picture_, *frame_, references_});
  }
  pool.begin(batch_, pieces(), *this);
}

std::size_t FrameTask::pieces() const {
  if (settings_.reconstructs) return 1;
  const auto rows = static_cast<std::size_t>(picture_.superblock_rows());
  return settings_.back_end != nullptr ? rows + 1 : rows;
}

bool FrameTask::filters_rows() const {
  return settings_.back_end == nullptr && header_.loop_filter.level > 0;
}

std::shared_ptr<FrameBuffer> FrameTask::release() {
  references_ = {};
  return std::move(frame_);
}

EdgeCounts FrameTask::edge_counts() const {
  EdgeCounts counts{};
  for (std::size_t direction = 0; direction < counts.size(); ++direction) {
    std::ranges::copy(edge_counts_[direction], counts[direction].begin());
  }
  return counts;
}

void FrameTask::operator()(std::size_t piece, ThreadTeam& team) {
  FailUnlessAverted failure(frame_->final_rows);
  StageClock clock(settings_.times != nullptr);
  if (run(piece, team, clock)) failure.avert();
  if (settings_.times != nullptr) settings_.times->add(clock.times());
}

bool FrameTask::run(std::size_t piece, ThreadTeam& team, StageClock& clock) {
  const auto row = static_cast<int>(piece);
  const int rows = picture_.superblock_rows();
  if (settings_.reconstructs || row == rows) {
    if (settings_.reconstructs) {
      reconstruct_frame(team, clock);
    } else if (!reconstructed_.wait_for_rows(rows)) {
      return false;
    }
    filter_frame(team, clock);
    return true;
  }
  parse(row, clock);
  return process_row(row, clock);
}

void FrameTask::parse(int row, StageClock& clock) const {
  if (settings_.parser == nullptr) return;
  settings_.parser->parse_row(row);
  clock.lap(ClockRow::parsing);
}

bool FrameTask::process_row(int row, StageClock& clock) {
  // These objects come before all code that may throw; otherwise the row below would wait for ever.
  RowProgress::Row reconstructed(reconstructed_, static_cast<std::size_t>(row));
  std::optional<RowProgress::Row> filtered;
  if (filters_rows()) filtered.emplace(filtered_, static_cast<std::size_t>(row));
  if (row == 0 && settings_.back_end != nullptr) {
    settings_.back_end->wait(*frame_);  // ends work on the previous frame in this memory
    for (const auto& reference : references_) {
      if (reference != nullptr) settings_.back_end->wait(*reference);
    }
    clock.lap(ClockRow::loop_filter);
  }
  EdgeCounts counts{};
  const int columns = picture_.superblock_columns();
  for (int column = 0; column < columns; ++column) {
    // With a back end rows also begin one after another, because only the first one waits for it.
    const auto follows = [&] {
      return has_intra_blocks(row, column) || (column == 0 && settings_.back_end != nullptr);
    };
    if (!reconstructed.above_is_ahead() && follows() && !reconstructed.wait_for_above())
      return false;
    if (!wait_for_references(row, column)) return false;
    clock.restart();
    if (column + 1 < columns) reconstruction_->prefetch_references(row, column + 1);
    reconstruction_->superblock(row, column, clock);
    reconstructed.advance();
    if (filtered && !filter_until(column, false, row, *filtered, counts, clock)) return false;
  }
  if (settings_.back_end != nullptr) return true;
  const bool last = row + 1 == picture_.superblock_rows();
  int rows = last ? FinalRows::kAll : (row + 1) * kSuperblock;
  if (filtered) {
    if (!filter_until(columns, true, row, *filtered, counts, clock)) return false;
    add(counts);
    if (!last) rows -= kChangedByNextRow;
  } else if (!reconstructed_.wait_for_rows(row)) {
    return false;
  }
  frame_->final_rows.publish(rows);
  return true;
}

void FrameTask::reconstruct_frame(ThreadTeam& team, StageClock& clock) {
  clock.restart();
  settings_.back_end->reconstruct({header_, picture_, *frame_, references_},
                                  {dsp_, team, clock, settings_.times});
  clock.lap(ClockRow::other);
  if (!settings_.observer->before_filter) return;
  settings_.back_end->wait(*frame_);
  clock.lap(ClockRow::waiting);
}

bool FrameTask::has_intra_blocks(int row, int column) const {
  const Range range = picture_.superblock(row, column);
  const Block* const blocks = picture_.blocks.data();
  return !std::all_of(blocks + range.begin, blocks + range.end,
                      [](const Block& block) { return block.is_inter(); });
}

bool FrameTask::wait_for_references(int row, int column) const {
  std::array<bool, kActiveReferences> unfinished{};
  for (std::size_t index = 0; index < references_.size(); ++index) {
    unfinished[index] = references_[index] != nullptr && !references_[index]->final_rows.all();
  }
  if (std::ranges::find(unfinished, true) == unfinished.end()) return true;
  std::array<int, kActiveReferences> lowest{};
  const Range range = picture_.superblock(row, column);
  for (std::uint32_t index = range.begin; index < range.end; ++index) {
    const Block& block = picture_.blocks[index];
    if (!block.is_inter()) continue;
    for (std::size_t which = 0; which < (block.is_compound() ? 2U : 1U); ++which) {
      int& most = lowest[static_cast<std::size_t>(block.references[which] - kLast)];
      most = std::max({most, count_needed_rows(block, which), 1});
    }
  }
  for (std::size_t index = 0; index < lowest.size(); ++index) {
    if (!unfinished[index] || lowest[index] == 0) continue;
    const FrameBuffer& reference = *references_[index];
    const bool all = lowest[index] >= reference.size.height || !(reference.size == frame_->size);
    if (!reference.final_rows.wait_for(all ? FinalRows::kAll : lowest[index])) return false;
  }
  return true;
}

// Filters superblocks of a row up to column `end`, as filter_superblocks() does.
bool FrameTask::filter_until(int end, bool wait, int row, RowProgress::Row& filtered,
                             EdgeCounts& counts, StageClock& clock) {
  return filter_superblocks(filtered, end, wait, [&](int column, int count) {
    clock.restart();
    Storage<LoopFilterEdge>& edges =
        group_edges_[static_cast<std::size_t>(row) % group_edges_.size()];
    LoopFilterEdge* end_of_edges = edges.data();
    for (const int end_column = column + count; column < end_column; ++column) {
      end_of_edges = derive_superblock_edges(header_, picture_, row, column, end_of_edges, counts);
    }
    clock.lap(ClockRow::edge_derivation);
    std::visit(
        [&]<class Sample>(const Dsp<Sample>* dsp) {
          filter_valid_edges(*dsp, planes_of<Sample>(*frame_), {edges.data(), end_of_edges},
                             header_.loop_filter.sharpness);
        },
        dsp_);
    clock.lap(ClockRow::loop_filter);
  });
}

void FrameTask::filter_frame(ThreadTeam& team, StageClock& clock) {
  clock.restart();
  edges_.derive(header_, picture_);
  clock.lap(ClockRow::edge_derivation);
  add(count(edges_.all()));
  clock.lap(ClockRow::other);
  const int sharpness = header_.loop_filter.sharpness;
  const FrameObserver& observer = *settings_.observer;
  if (observer.before_filter) observer.before_filter(*frame_, edges_, sharpness);
  clock.restart();
  settings_.back_end->filter(*frame_, edges_, sharpness, {dsp_, team, clock, settings_.times});
  clock.lap(settings_.reconstructs ? ClockRow::other : ClockRow::loop_filter);
  if (observer.filtered) observer.filtered(*frame_, edges_);
  frame_->final_rows.publish(FinalRows::kAll);
}

void FrameTask::add(const EdgeCounts& counts) {
  for (std::size_t direction = 0; direction < counts.size(); ++direction) {
    for (std::size_t width = 0; width < counts[direction].size(); ++width) {
      edge_counts_[direction][width] += counts[direction][width];
    }
  }
}

}  // namespace sidecore::vp9
