#include "bench/loop_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "bench/guarded_block.h"
#include "bench/loop_filter_content.h"
#include "neon/loop_filter.h"
#include "qpu/loop_filter.h"
#include "qpu/loop_filter_list.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {
namespace {

using gates::Content;
using gates::UnitRange;

std::size_t row_stride(int width) {
  constexpr std::size_t kAlignment = video::PictureLayout::kRowAlignment;
  return (static_cast<std::size_t>(width) + kAlignment - 1) / kAlignment * kAlignment;
}

// `Filter` is one of the QPU's twins for lists.
template <class Filter>
class RecordedLoopFilter : public gates::RecordedWork {
 public:
  RecordedLoopFilter(qpu::Device& device, qpu::Buffer& memory, Filter filter,
                     const GuardedBlock::Region& plane, std::size_t stride,
                     std::span<const vp9::LoopFilterEdge> edges)
      : filter_(std::move(filter)),
        edges_(filter_.make_edges(edges, plane.bytes, stride)),
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

// What the registry says of each kind. "loop_filter" is h_4, the first kernel.
struct Names {
  vp9::LoopFilterKind kind;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kNames = {
    Names{vp9::LoopFilterKind::h_4, "loop_filter",
          "VP9 loop filter, 4 wide, vertical edges of the 8x8 luma grid (h_4_8)"},
    Names{vp9::LoopFilterKind::h_8, "loop_filter_h_8",
          "VP9 loop filter, 8 wide, vertical edges of the 8x8 luma grid (h_8_8)"},
    Names{vp9::LoopFilterKind::h_16, "loop_filter_h_16",
          "VP9 loop filter, 16 wide, vertical edges every 16 samples (h_16_8)"},
    Names{vp9::LoopFilterKind::v_4, "loop_filter_v_4",
          "VP9 loop filter, 4 wide, horizontal edges of the 8x8 luma grid (v_4_8)"},
    Names{vp9::LoopFilterKind::v_8, "loop_filter_v_8",
          "VP9 loop filter, 8 wide, horizontal edges of the 8x8 luma grid (v_8_8)"},
    Names{vp9::LoopFilterKind::v_16, "loop_filter_v_16",
          "VP9 loop filter, 16 wide, horizontal edges every 16 samples (v_16_8)"}};

const Names& names_of(vp9::LoopFilterKind kind) {
  return *std::ranges::find(kNames, kind, &Names::kind);
}

// The shader of all kinds: shaders/vp9_loop_filter.comp.
constexpr std::string_view kHalves = "halves";

std::vector<std::string_view> variants_of(vp9::LoopFilterKind kind) {
  if (kind == vp9::LoopFilterKind::h_4) return {"word", "byte", kHalves};
  return {kHalves};
}

void check_variant(vp9::LoopFilterKind kind, std::string_view variant) {
  const auto variants = variants_of(kind);
  if (std::ranges::find(variants, variant) == variants.end()) {
    throw usage_error("{} has no variant {} ({})", names_of(kind).name, variant,
                      fmt::join(variants, ", "));
  }
}

qpu::LoopFilterVariant h_4_variant(std::string_view name) {
  return name == "byte" ? qpu::LoopFilterVariant::byte : qpu::LoopFilterVariant::word;
}

class LoopFilterWorkload : public gates::Workload {
 public:
  LoopFilterWorkload(vp9::LoopFilterKind kind, gates::WorkloadRequest request)
      : kind_(kind),
        request_(std::move(request)),
        stride_(row_stride(request_.width)),
        plane_(block_.add("plane", stride_ * static_cast<std::size_t>(request_.height))),
        edges_(
            vp9::grid_edges(kind, request_.width, request_.height, stride_,
                            vp9::loop_filter_limits(request_.filter_level, request_.sharpness))) {
    if (edges_.empty()) {
      const int along = vp9::kEdgeLength;
      const int across = 3 * vp9::read_reach(vp9::width_of(kind));
      throw usage_error("{} needs a picture of at least {}x{} samples, not {}x{}",
                        names_of(kind).name, vertical() ? across : along,
                        vertical() ? along : across, request_.width, request_.height);
    }
    if (request_.content != Content::input) vary_limits();
    index_cells();
  }

  [[nodiscard]] std::size_t units() const override { return edges_.size(); }
  [[nodiscard]] std::size_t bytes() const override { return block_.bytes(); }

  void reset(std::span<std::byte> memory) const override {
    block_.fill_guards(memory);
    if (request_.content == Content::input) {
      copy_luma(memory);
    } else {
      synthesize(memory);
    }
  }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    vp9::loop_filter(plane(memory), share(units));
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    neon::loop_filter(plane(memory), share(units));
  }

  [[nodiscard]] std::unique_ptr<gates::RecordedWork> record(
      qpu::Device& device, qpu::Buffer& memory, std::string_view variant) const override {
    check_variant(kind_, variant);
    // Not an owner: the device outlives what is made from it here.
    const std::shared_ptr<qpu::Device> shared(std::shared_ptr<void>(), &device);
    const auto recorded = [&](auto filter) -> std::unique_ptr<gates::RecordedWork> {
      return std::make_unique<RecordedLoopFilter<decltype(filter)>>(
          device, memory, std::move(filter), block_.region(plane_), stride_, edges_);
    };
    if (variant == kHalves) return recorded(qpu::LoopFilterList(shared, {&kind_, 1}));
    return recorded(qpu::LoopFilterH48(shared, h_4_variant(variant)));
  }

  [[nodiscard]] std::vector<gates::BranchRate> branch_rates(
      std::span<const std::byte> memory) const override {
    const auto bytes = block_.part(memory, plane_);
    const vp9::LoopFilterBranches count = vp9::count_branches(
        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, stride_, edges_);
    const auto share_of = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    std::vector<gates::BranchRate> rates = {
        {"mask", share_of(count.mask, count.lines), "lines"},
        {"hev", share_of(count.hev, count.mask), "masked lines"},
        {"flat", share_of(count.flat, count.mask), "masked lines"}};
    if (vp9::width_of(kind_) == 16) {
      rates.push_back({"flat2", share_of(count.flat2, count.mask), "masked lines"});
    }
    return rates;
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    if (block_.region_of(byte) != plane_) return std::nullopt;
    const std::size_t at = byte - block_.region(plane_).offset;
    return cells_[at / stride_ / kCell * cell_columns_ + at % stride_ / kCell];
  }

  [[nodiscard]] std::string describe(std::size_t byte) const override {
    if (block_.region_of(byte) != plane_) return block_.describe_guard(byte);
    const std::size_t at = byte - block_.region(plane_).offset;
    const std::size_t x = at % stride_;
    const std::size_t y = at / stride_;
    const std::optional<std::size_t> edge = unit_of(byte);
    if (!edge) return fmt::format("sample (x {}, y {}), which no edge touches", x, y);
    const std::size_t edge_x = edges_[*edge].offset % stride_;
    const std::size_t edge_y = edges_[*edge].offset / stride_;
    const std::size_t line = vertical() ? y - edge_y : x - edge_x;
    const std::size_t q0 = vertical() ? edge_x : edge_y;
    const std::size_t position = vertical() ? x : y;
    const std::string sample =
        position < q0 ? fmt::format("p{}", q0 - 1 - position) : fmt::format("q{}", position - q0);
    return fmt::format("edge {} (x {}, y {}), {} {}, {}", *edge, edge_x, edge_y,
                       vertical() ? "row" : "column", line, sample);
  }

 private:
  // Edges of the grid touch whole cells.
  static constexpr std::size_t kCell = 4;

  [[nodiscard]] bool vertical() const {
    return vp9::direction_of(kind_) == vp9::EdgeDirection::vertical;
  }

  [[nodiscard]] vp9::LoopFilterPlane plane(std::span<std::byte> memory) const {
    const auto bytes = block_.part(memory, plane_);
    return {{reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}, stride_};
  }

  [[nodiscard]] std::span<const vp9::LoopFilterEdge> share(UnitRange units) const {
    return std::span(edges_).subspan(units.first, units.last - units.first);
  }

  void vary_limits() {
    Random random(request_.seed);
    for (vp9::LoopFilterEdge& edge : edges_) {
      edge.limits =
          vp9::loop_filter_limits(1 + static_cast<int>(random.below(63)), request_.sharpness);
    }
  }

  // Which edge owns each cell of the plane.
  void index_cells() {
    cell_columns_ = stride_ / kCell;
    cells_.resize(cell_columns_ * (static_cast<std::size_t>(request_.height) / kCell + 1));
    const auto reach = static_cast<std::size_t>(vp9::read_reach(vp9::width_of(kind_)));
    const std::size_t columns = (vertical() ? 2 * reach : vp9::kEdgeLength) / kCell;
    const std::size_t rows = (vertical() ? vp9::kEdgeLength : 2 * reach) / kCell;
    for (std::size_t index = 0; index < edges_.size(); ++index) {
      const std::size_t left = edges_[index].offset % stride_ - (vertical() ? reach : 0);
      const std::size_t top = edges_[index].offset / stride_ - (vertical() ? 0 : reach);
      for (std::size_t row = 0; row < rows; ++row) {
        const auto at = (top / kCell + row) * cell_columns_ + left / kCell;
        std::fill_n(cells_.begin() + static_cast<std::ptrdiff_t>(at), columns, index);
      }
    }
  }

  void synthesize(std::span<std::byte> memory) const {
    // A stream of its own, or samples would follow the limits' random numbers.
    Random random(~request_.seed);
    const vp9::LoopFilterPlane samples = plane(memory);
    for (const vp9::LoopFilterEdge& edge : edges_) {
      fill_edge(request_.content, edge, samples, random);
    }
  }

  void copy_luma(std::span<std::byte> memory) const {
    const vp9::LoopFilterPlane samples = plane(memory);
    const auto luma = std::as_const(*request_.picture).plane<std::uint8_t>(0);
    for (int y = 0; y < luma.height; ++y) {
      std::copy_n(luma.row(y), luma.width,
                  samples.bytes.begin() + static_cast<std::ptrdiff_t>(stride_) * y);
    }
  }

  vp9::LoopFilterKind kind_;
  gates::WorkloadRequest request_;
  std::size_t stride_;
  GuardedBlock block_;
  std::size_t plane_;
  std::vector<vp9::LoopFilterEdge> edges_;
  std::size_t cell_columns_ = 0;
  std::vector<std::optional<std::size_t>> cells_;
};

class LoopFilterKernel : public gates::Kernel {
 public:
  explicit LoopFilterKernel(vp9::LoopFilterKind kind) : kind_(kind) {}

  [[nodiscard]] std::string_view name() const override { return names_of(kind_).name; }
  [[nodiscard]] std::string_view description() const override {
    return names_of(kind_).description;
  }
  [[nodiscard]] std::string_view unit() const override { return "edge"; }
  [[nodiscard]] std::vector<std::string_view> variants() const override {
    return variants_of(kind_);
  }
  [[nodiscard]] const qpu::ProgramInterface& interface(std::string_view variant) const override {
    check_variant(kind_, variant);
    return variant == kHalves ? qpu::edge_filter_interface()
                              : qpu::loop_filter_h_4_8_interface(h_4_variant(variant));
  }

  [[nodiscard]] std::unique_ptr<gates::Workload> make_workload(
      const gates::WorkloadRequest& request) const override {
    gates::WorkloadRequest own = request;
    if (request.content == Content::input) {
      if (!request.picture) throw usage_error("{}: input content needs a picture", name());
      const video::PictureFormat& format = request.picture->format();
      if (format.pixel.bits != 8) {
        throw usage_error("{} filters 8-bit samples, the input has {} bits", name(),
                          format.pixel.bits);
      }
      own.width = format.width;
      own.height = format.height;
    }
    video::check_format({own.width, own.height, {video::Chroma::c400, 8}});
    return std::make_unique<LoopFilterWorkload>(kind_, std::move(own));
  }

 private:
  vp9::LoopFilterKind kind_;
};

}  // namespace

const gates::Kernel& loop_filter_kernel(vp9::LoopFilterKind kind) {
  static const std::array kKernels = {
      LoopFilterKernel(vp9::LoopFilterKind::h_4),  LoopFilterKernel(vp9::LoopFilterKind::h_8),
      LoopFilterKernel(vp9::LoopFilterKind::h_16), LoopFilterKernel(vp9::LoopFilterKind::v_4),
      LoopFilterKernel(vp9::LoopFilterKind::v_8),  LoopFilterKernel(vp9::LoopFilterKind::v_16)};
  const auto at = std::ranges::find(vp9::kLoopFilterKinds, kind) - vp9::kLoopFilterKinds.begin();
  return kKernels.at(static_cast<std::size_t>(at));
}

}  // namespace sidecore::bench
