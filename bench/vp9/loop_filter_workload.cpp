#include "bench/vp9/loop_filter_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "neon/vp9/deep_loop_filter.h"
#include "neon/vp9/loop_filter.h"
#include "qpu/vp9/loop_filter.h"
#include "qpu/vp9/loop_filter_list.h"

namespace sidecore::bench {
namespace {

constexpr std::size_t kCell = 4;  // samples either way

// `Filter` is one of the QPU's twins for lists.
template <class Filter>
class RecordedLoopFilter : public gates::RecordedWork {
 public:
  RecordedLoopFilter(qpu::Device& device, qpu::Buffer& memory, Filter filter,
                     const GuardedBlock::Region& plane, std::size_t samples, std::size_t stride,
                     std::span<const vp9::LoopFilterEdge> edges)
      : filter_(std::move(filter)),
        edges_(filter_.make_edges(edges, samples, stride)),
        list_(device.create_command_list()) {
    const qpu::BufferRange all{.buffer = &memory};
    list_->time_on_gpu();
    list_->upload(all);
    filter_.record_upload(*list_, edges_);
    filter_.record(*list_, {.buffer = &memory, .offset = plane.offset, .size = plane.bytes},
                   edges_);
    list_->download(all);
    list_->finish();
  }

  qpu::CommandList& list() override { return *list_; }

 private:
  Filter filter_;
  typename Filter::Edges edges_;
  std::unique_ptr<qpu::CommandList> list_;
};

// The shader of all kinds: shaders/vp9/loop_filter.comp.
constexpr std::string_view kHalves = "halves";

void check_variant(vp9::LoopFilterKind kind, std::string_view variant) {
  const auto variants = loop_filter_variants(kind);
  if (std::ranges::find(variants, variant, &gates::QpuVariant::name) == variants.end()) {
    throw usage_error("the loop filter {} has no variant {}", to_string(kind), variant);
  }
}

template <class Sample, class Byte>
std::span<Sample> samples_of(std::span<Byte> bytes) {
  return {reinterpret_cast<Sample*>(bytes.data()), bytes.size() / sizeof(Sample)};
}

qpu::LoopFilterVariant h_4_variant(std::string_view name) {
  return name == "byte" ? qpu::LoopFilterVariant::byte : qpu::LoopFilterVariant::word;
}

}  // namespace

std::vector<gates::QpuVariant> loop_filter_variants(vp9::LoopFilterKind kind) {
  const gates::QpuVariant halves{kHalves, {"loop_filter"}};
  if (kind != vp9::LoopFilterKind::h_4) return {halves};
  using enum qpu::LoopFilterVariant;
  return {{"word", {&qpu::loop_filter_h_4_8_interface(word)}},
          {"byte", {&qpu::loop_filter_h_4_8_interface(byte)}},
          halves};
}

LoopFilterWorkload::LoopFilterWorkload(vp9::LoopFilterKind kind, std::size_t stride,
                                       std::size_t rows, std::vector<vp9::LoopFilterEdge> edges,
                                       int bits)
    : kind_(kind),
      stride_(stride),
      bits_(bits),
      plane_(block_.add("plane", stride * rows * sample_bytes())),
      edges_(std::move(edges)) {
  index_cells(rows);
}

void LoopFilterWorkload::reset(std::span<std::byte> memory) const {
  block_.fill_guards(memory);
  fill(block_.part(memory, plane_));
}

void LoopFilterWorkload::run_scalar(std::span<std::byte> memory, gates::UnitRange units) const {
  const auto plane = block_.part(memory, plane_);
  if (bits_ == 8) return vp9::loop_filter({samples_of<std::uint8_t>(plane), stride_}, share(units));
  filter_each(vp9::filter_edge<std::uint16_t>, plane, share(units));
}

void LoopFilterWorkload::run_neon(std::span<std::byte> memory, gates::UnitRange units) const {
  const auto plane = block_.part(memory, plane_);
  if (bits_ == 8)
    return neon::loop_filter({samples_of<std::uint8_t>(plane), stride_}, share(units));
  filter_each(neon::filter_deep_edge, plane, share(units));
}

std::unique_ptr<gates::RecordedWork> LoopFilterWorkload::record(qpu::Device& device,
                                                                qpu::Buffer& memory,
                                                                std::string_view variant) const {
  check_variant(kind_, variant);
  // Not an owner: the device outlives what is made from it here.
  const std::shared_ptr<qpu::Device> shared(std::shared_ptr<void>(), &device);
  const auto recorded = [&](auto filter) -> std::unique_ptr<gates::RecordedWork> {
    return std::make_unique<RecordedLoopFilter<decltype(filter)>>(
        device, memory, std::move(filter), block_.region(plane_),
        block_.region(plane_).bytes / sample_bytes(), stride_, edges_);
  };
  if (variant == kHalves) return recorded(qpu::LoopFilterList(shared, {&kind_, 1}, bits_));
  if (const std::string why = why_not(variant); !why.empty()) {
    throw usage_error("the loop filter's variant {}: {}", variant, why);
  }
  return recorded(qpu::LoopFilterH48(shared, h_4_variant(variant)));
}

std::string LoopFilterWorkload::why_not(std::string_view variant) const {
  if (bits_ == 8 || variant == kHalves) return {};
  return fmt::format("it is for samples of 8 bits, these have {}", bits_);
}

vp9::LoopFilterBranches LoopFilterWorkload::count_branches(std::span<const std::byte> plane) const {
  if (bits_ == 8) {
    return vp9::count_branches(samples_of<const std::uint8_t>(plane), stride_, edges_);
  }
  const auto samples = samples_of<const std::uint16_t>(plane);
  vp9::LoopFilterBranches sum;
  for (const vp9::LoopFilterEdge& edge : edges_) {
    sum += vp9::count_branches(kind_, &samples[edge.offset], static_cast<std::ptrdiff_t>(stride_),
                               edge.limits, bits_);
  }
  return sum;
}

std::vector<gates::BranchRate> LoopFilterWorkload::branch_rates(
    std::span<const std::byte> memory) const {
  const auto bytes = block_.part(memory, plane_);
  const vp9::LoopFilterBranches count = count_branches(bytes);
  std::vector<gates::BranchRate> rates;
  const auto add = [&](const char* name, std::uint64_t part, const char* of, std::uint64_t whole) {
    const auto among = static_cast<double>(whole);
    rates.push_back({name, whole == 0 ? 0.0 : static_cast<double>(part) / among, of, among});
  };
  add("mask", count.mask, "lines", count.lines);
  add("hev", count.hev, "masked lines", count.mask);
  add("flat", count.flat, "masked lines", count.mask);
  if (vp9::width_of(kind_) == 16) add("flat2", count.flat2, "masked lines", count.mask);
  return rates;
}

std::optional<std::size_t> LoopFilterWorkload::unit_of(std::size_t byte) const {
  if (block_.region_of(byte) != plane_) return std::nullopt;
  const std::size_t at = sample_of(byte);
  return cells_[at / stride_ / kCell * cell_columns_ + at % stride_ / kCell];
}

std::string LoopFilterWorkload::describe(std::size_t byte) const {
  if (block_.region_of(byte) != plane_) return block_.describe_guard(byte);
  const std::size_t at = sample_of(byte);
  const std::size_t x = at % stride_;
  const std::size_t y = at / stride_;
  const std::optional<std::size_t> edge = unit_of(byte);
  if (!edge) return fmt::format("sample ({}), which no edge touches", place(x, y));
  const std::size_t edge_x = edges_[*edge].offset % stride_;
  const std::size_t edge_y = edges_[*edge].offset / stride_;
  const std::size_t line = vertical() ? y - edge_y : x - edge_x;
  const std::size_t q0 = vertical() ? edge_x : edge_y;
  const std::size_t position = vertical() ? x : y;
  const std::string sample =
      position < q0 ? fmt::format("p{}", q0 - 1 - position) : fmt::format("q{}", position - q0);
  return fmt::format("edge {} ({}), {} {}, {}", *edge, place(edge_x, edge_y),
                     vertical() ? "row" : "column", line, sample);
}

std::string LoopFilterWorkload::place(std::size_t x, std::size_t y) const {
  return fmt::format("x {}, y {}", x, y);
}

bool LoopFilterWorkload::vertical() const {
  return vp9::direction_of(kind_) == vp9::EdgeDirection::vertical;
}

std::size_t LoopFilterWorkload::sample_of(std::size_t byte) const {
  return (byte - block_.region(plane_).offset) / sample_bytes();
}

template <class Filter>
void LoopFilterWorkload::filter_each(Filter filter, std::span<std::byte> plane,
                                     std::span<const vp9::LoopFilterEdge> edges) const {
  const auto samples = samples_of<std::uint16_t>(plane);
  for (const vp9::LoopFilterEdge& edge : edges) {
    filter(edge.kind, &samples[edge.offset], static_cast<std::ptrdiff_t>(stride_), edge.limits,
           bits_);
  }
}

std::span<const vp9::LoopFilterEdge> LoopFilterWorkload::share(gates::UnitRange units) const {
  return std::span(edges_).subspan(units.first, units.last - units.first);
}

void LoopFilterWorkload::index_cells(std::size_t rows) {
  cell_columns_ = stride_ / kCell;
  cells_.resize(cell_columns_ * (rows / kCell + 1));
  const auto reach = static_cast<std::size_t>(vp9::read_reach(vp9::width_of(kind_)));
  const std::size_t columns = (vertical() ? 2 * reach : vp9::kEdgeLength) / kCell;
  const std::size_t cell_rows = (vertical() ? vp9::kEdgeLength : 2 * reach) / kCell;
  for (std::size_t index = 0; index < edges_.size(); ++index) {
    const std::size_t left = edges_[index].offset % stride_ - (vertical() ? reach : 0);
    const std::size_t top = edges_[index].offset / stride_ - (vertical() ? 0 : reach);
    for (std::size_t row = 0; row < cell_rows; ++row) {
      const auto at = (top / kCell + row) * cell_columns_ + left / kCell;
      std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(at), columns, index);
    }
  }
}

}  // namespace sidecore::bench
