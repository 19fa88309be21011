#include "kernels/vp9/loop_filter_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "kernels/vp9/loop_filter_baselines.h"
#include "neon/vp9/dsp.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::bench {
namespace {

constexpr std::size_t kCell = 4;  // width and height of a cell in samples
std::optional<vp9::FilterOrder> order_of(std::string_view variant) {
  const auto* const found = std::ranges::find_if(
      vp9::kFilterOrders, [&](auto order) { return to_string(order) == variant; });
  if (found == vp9::kFilterOrders.end()) return std::nullopt;
  return *found;
}

std::optional<LoopFilterBaseline> baseline_of(std::string_view variant) {
  const auto* const found =
      std::ranges::find(kLoopFilterBaselines, variant, [](auto each) { return to_string(each); });
  if (found == kLoopFilterBaselines.end()) return std::nullopt;
  return *found;
}

void check_variant(std::optional<vp9::LoopFilterKind> kind, std::string_view variant) {
  const auto variants = loop_filter_variants(kind);
  if (std::ranges::find(variants, variant, &gates::QpuVariant::name) == variants.end()) {
    throw usage_error("the loop filter {} has no variant {}",
                      kind ? to_string(*kind) : "of pictures", variant);
  }
}

// Returns the memory as a shared pointer without ownership: the workload outlives the list.
std::shared_ptr<qpu::Buffer> borrowed(qpu::Buffer& memory) {
  return {std::shared_ptr<void>(), &memory};
}

std::unique_ptr<qpu::LoopFilter> make_filter(qpu::Device& device, qpu::Buffer& memory,
                                             const qpu::PicturePlanes& planes,
                                             const LoopFilterWork& work, vp9::FilterOrder order) {
  auto filter = std::make_unique<qpu::LoopFilter>(device, borrowed(memory), planes, work.bits);
  if (order == vp9::FilterOrder::levels) {
    vp9::LevelScheduler scheduler;
    const vp9::EdgeLevels& steps = scheduler.schedule(work.edges);
    filter->set_edges(steps, steps.count(), work.sharpness);
  } else {
    vp9::WaveScheduler scheduler;
    scheduler.schedule(work.edges, work.scales);
    filter->set_edges(scheduler, work.sharpness);
  }
  return filter;
}

/// Filters all edges in order, and calls note(edge, branches) with the branches of the edge's
/// lines.
template <class Sample>
void note_and_filter(const vp9::Dsp<Sample>& dsp, const vp9::LoopFilterPlanes<Sample>& planes,
                     const LoopFilterWork& work, const auto& note) {
  const vp9::LoopFilterLimitTable limits(work.sharpness);
  for (const vp9::LoopFilterEdge& edge : work.edges) {
    const auto stride = static_cast<std::ptrdiff_t>(planes[edge.plane].stride);
    note(edge, vp9::count_branches(edge.kind(), static_cast<const Sample*>(planes.q0(edge)), stride,
                                   limits[edge.level], dsp.bits));
    dsp.loop_filter(edge.kind()).one(planes.q0(edge), stride, limits[edge.level]);
  }
}

/// Returns the input name of an edge. NEON filters all lines of an edge together, so the line with
/// the most work decides.
const char* input_of(const vp9::LoopFilterBranches& lines) {
  if (lines.mask == 0) return "random";
  return lines.flat == 0 ? "mask met" : "flat";
}

}  // namespace

std::vector<gates::QpuVariant> loop_filter_variants(std::optional<vp9::LoopFilterKind> kind) {
  std::vector<gates::QpuVariant> variants;
  variants.reserve(vp9::kFilterOrders.size() + kLoopFilterBaselines.size());
  for (const auto order : vp9::kFilterOrders) {
    variants.push_back({to_string(order), {qpu::loop_filter_shader(order)}});
  }
  if (!kind) return variants;
  for (const auto baseline : kLoopFilterBaselines) {
    if (const qpu::Shader* const shader = baseline_shader(baseline, *kind)) {
      variants.push_back({to_string(baseline), {*shader}, true});
    }
  }
  return variants;
}

LoopFilterWorkload::LoopFilterWorkload(LoopFilterWork work)
    : work_(std::move(work)), picture_(block_.add("picture", work_.bytes)) {
  index_cells();
}

void LoopFilterWorkload::reset(std::span<std::byte> memory) const {
  block_.fill_guards(memory);
  fill(block_.part(memory, picture_));
}

void LoopFilterWorkload::run(const vp9::DspTables& dsp, std::span<std::byte> memory,
                             gates::UnitRange units) const {
  const auto share = std::span(work_.edges).subspan(units.first, units.last - units.first);
  const auto filter_by = [&]<class Sample>(const vp9::Dsp<Sample>* table) {
    const auto picture = block_.part(memory, picture_);
    vp9::filter_edges(*table, work_.planes.in<Sample>(picture), share, work_.sharpness);
  };
  std::visit(filter_by, dsp.of(work_.bits));
}

void LoopFilterWorkload::run_scalar(std::span<std::byte> memory, gates::UnitRange units) const {
  run(vp9::scalar_dsp(), memory, units);
}

void LoopFilterWorkload::run_neon(std::span<std::byte> memory, gates::UnitRange units) const {
  run(neon::vp9_dsp(), memory, units);
}

void LoopFilterWorkload::record_units(qpu::Device& device, qpu::CommandList& list,
                                      qpu::Buffer& memory, std::string_view variant) const {
  check_variant(work_.kind, variant);
  if (const std::string why = refusal_of_variant(variant); !why.empty()) {
    throw usage_error("the loop filter's variant {}: {}", variant, why);
  }
  const qpu::PicturePlanes planes = planes_in_block();
  if (const auto baseline = baseline_of(variant)) {
    const auto& plane = planes.planes[0];
    return record_baseline(device, list, *baseline,
                           {&memory, plane.offset, plane.stride * plane.rows}, plane.stride,
                           work_.edges, work_.sharpness);
  }
  if (const auto order = order_of(variant)) {
    make_filter(device, memory, planes, work_, *order)->record(list);
  }
}

std::string LoopFilterWorkload::refusal_of_variant(std::string_view variant) const {
  if (work_.bits == 8 || !baseline_of(variant)) return {};
  return fmt::format("it needs samples of 8 bits, these have {}", work_.bits);
}

// Counts each edge's branches on the samples as earlier edges have left them.
std::vector<gates::BranchRate> LoopFilterWorkload::branch_rates(
    std::span<const std::byte> memory) const {
  const auto picture = block_.part(memory, picture_);
  std::vector<std::byte> copy(picture.begin(), picture.end());
  vp9::LoopFilterBranches count;
  const auto count_by = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
    note_and_filter(*dsp, work_.planes.in<Sample>(copy), work_,
                    [&](const auto&, const vp9::LoopFilterBranches& lines) { count += lines; });
  };
  std::visit(count_by, vp9::scalar_dsp().of(work_.bits));
  std::vector<gates::BranchRate> rates;
  const auto add = [&](const char* name, std::uint64_t part, const char* of, std::uint64_t whole) {
    const auto among = static_cast<double>(whole);
    rates.push_back({name, whole == 0 ? 0.0 : static_cast<double>(part) / among, of, among});
  };
  add("mask", count.mask, "lines", count.lines);
  add("hev", count.hev, "masked lines", count.mask);
  add("flat", count.flat, "masked lines", count.mask);
  if (!work_.kind || vp9::width_of(*work_.kind) == 16) {
    add("flat2", count.flat2, "masked lines", count.mask);
  }
  return rates;
}

std::vector<gates::CpuCalls> LoopFilterWorkload::cpu_calls(std::span<std::byte> memory) const {
  std::map<std::pair<vp9::LoopFilterKind, const char*>, double> edges;
  const auto count_by = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
    note_and_filter(*dsp, work_.planes.in<Sample>(block_.part(memory, picture_)), work_,
                    [&](const vp9::LoopFilterEdge& edge, const vp9::LoopFilterBranches& lines) {
                      edges[{edge.kind(), input_of(lines)}] += 1;
                    });
  };
  std::visit(count_by, vp9::scalar_dsp().of(work_.bits));
  std::vector<gates::CpuCalls> calls;
  calls.reserve(edges.size());
  for (const auto& [what, times] : edges) {
    calls.push_back(
        {fmt::format("loop_filter {}", to_string(what.first)), what.second, work_.bits, times});
  }
  return calls;
}

std::optional<std::size_t> LoopFilterWorkload::unit_of(std::size_t byte) const {
  const std::optional<Place> at = place_of(byte);
  return at ? unit_at(*at) : std::nullopt;
}

std::string LoopFilterWorkload::describe(std::size_t byte) const {
  if (block_.region_of(byte) != picture_) return block_.describe_guard(byte);
  const std::optional<Place> at = place_of(byte);
  if (!at) return "padding between the planes";
  const std::optional<std::size_t> unit = unit_at(*at);
  if (!unit)
    return fmt::format("sample ({}), which no edge touches", place(at->plane, at->x, at->y));
  const vp9::LoopFilterEdge& edge = work_.edges[*unit];
  const bool vertical = edge.direction == vp9::EdgeDirection::vertical;
  const std::size_t line = vertical ? at->y - edge.y : at->x - edge.x;
  const std::size_t q0 = vertical ? edge.x : edge.y;
  const std::size_t position = vertical ? at->x : at->y;
  const std::string sample =
      position < q0 ? fmt::format("p{}", q0 - 1 - position) : fmt::format("q{}", position - q0);
  return fmt::format("edge {} ({}), {} {}, {}", *unit, place(edge.plane, edge.x, edge.y),
                     vertical ? "row" : "column", line, sample);
}

std::string LoopFilterWorkload::place(std::size_t /*plane*/, std::size_t x, std::size_t y) const {
  return fmt::format("x {}, y {}", x, y);
}

qpu::PicturePlanes LoopFilterWorkload::planes_in_block() const {
  qpu::PicturePlanes planes = work_.planes;
  for (auto& plane : planes.planes) plane.offset += block_.region(picture_).offset;
  return planes;
}

std::optional<LoopFilterWorkload::Place> LoopFilterWorkload::place_of(std::size_t byte) const {
  if (block_.region_of(byte) != picture_) return std::nullopt;
  const std::size_t at = byte - block_.region(picture_).offset;
  for (std::size_t index = 0; index < work_.planes.planes.size(); ++index) {
    const auto& plane = work_.planes.planes[index];
    if (at < plane.offset || at - plane.offset >= plane.stride * plane.rows) continue;
    const std::size_t inside = at - plane.offset;
    return Place{index, inside % plane.stride / sample_bytes(), inside / plane.stride};
  }
  return std::nullopt;
}

std::optional<std::size_t> LoopFilterWorkload::unit_at(const Place& place) const {
  const std::size_t columns = work_.planes.planes[place.plane].stride / sample_bytes() / kCell;
  return cells_[place.plane][place.y / kCell * columns + place.x / kCell];
}

void LoopFilterWorkload::index_cells() {
  std::array<std::size_t, 3> columns{};
  for (std::size_t index = 0; index < cells_.size(); ++index) {
    const auto& plane = work_.planes.planes[index];
    columns[index] = plane.stride / sample_bytes() / kCell;
    cells_[index].resize(columns[index] * (plane.rows / kCell + 1));
  }
  for (std::size_t index = 0; index < work_.edges.size(); ++index) {
    const vp9::LoopFilterEdge& edge = work_.edges[index];
    const vp9::TouchedSamples touched(edge);
    const auto cell = [](int sample) { return static_cast<std::size_t>(sample) / kCell; };
    for (std::size_t row = cell(touched.top); row < cell(touched.bottom); ++row) {
      const auto first =
          static_cast<std::ptrdiff_t>(row * columns[edge.plane] + cell(touched.left));
      std::fill_n(cells_[edge.plane].begin() + first, cell(touched.right - touched.left), index);
    }
  }
}

namespace {

LoopFilterWork work_of(const video::PictureFormat& format, const vp9::LoopFilterEdges& edges,
                       int sharpness) {
  LoopFilterWork work;
  work.planes = qpu::PicturePlanes::of(format);
  work.bytes = video::PictureLayout(format).bytes;
  work.bits = format.pixel.bits;
  work.scales = vp9::PlaneScales(format.pixel.chroma);
  work.edges.assign(edges.all().begin(), edges.all().end());
  work.sharpness = sharpness;
  return work;
}

}  // namespace

LoopFilterPictureWorkload::LoopFilterPictureWorkload(video::Picture samples,
                                                     const vp9::LoopFilterEdges& edges,
                                                     int sharpness)
    : LoopFilterWorkload(work_of(samples.format(), edges, sharpness)),
      samples_(std::move(samples)),
      edges_(edges),
      stage_(vp9::make_cpu_loop_filter()) {}

Nanoseconds LoopFilterPictureWorkload::run_neon_on(ThreadTeam& team,
                                                   std::span<std::byte> memory) const {
  return run_stage(neon::vp9_dsp(), team, memory);
}

Nanoseconds LoopFilterPictureWorkload::run_stage(const vp9::DspTables& dsp, ThreadTeam& team,
                                                 std::span<std::byte> memory) const {
  const video::PictureFormat& format = samples_.format();
  vp9::FrameBuffer frame{video::Picture(format, picture_in(memory), nullptr),
                         {format.width, format.height}};
  const vp9::StreamDsp table = dsp.of(format.pixel.bits);
  vp9::StageClock off(false);
  const Clock::time_point start = Clock::now();
  stage_->filter(frame, edges_, work().sharpness, {table, team, off, nullptr});
  return Clock::now() - start;
}

void LoopFilterPictureWorkload::fill(std::span<std::byte> picture) const {
  std::ranges::copy(samples_.bytes(), picture.begin());
}

std::string LoopFilterPictureWorkload::place(std::size_t plane, std::size_t x,
                                             std::size_t y) const {
  return fmt::format("{}, x {}, y {}", kPlaneNames[plane], x, y);
}

}  // namespace sidecore::bench
