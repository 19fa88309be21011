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
#include "vp9/loop_filter.h"

namespace sidecore::bench {
namespace {

using gates::Content;
using gates::UnitRange;

constexpr std::size_t kEdgeRows = 8;
constexpr std::size_t kReach = 4;  // samples of an edge on each side of the boundary

std::size_t row_stride(int width) {
  constexpr std::size_t kAlignment = video::PictureLayout::kRowAlignment;
  return (static_cast<std::size_t>(width) + kAlignment - 1) / kAlignment * kAlignment;
}

class RecordedLoopFilter : public gates::RecordedWork {
 public:
  RecordedLoopFilter(qpu::Device& device, qpu::Buffer& memory, qpu::LoopFilterVariant variant,
                     const GuardedBlock::Region& plane, std::size_t stride,
                     std::span<const vp9::LoopFilterEdge> edges)
      // Not an owner: the device outlives this object.
      : filter_(std::shared_ptr<qpu::Device>(std::shared_ptr<void>(), &device), variant),
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
  qpu::LoopFilterH48 filter_;
  qpu::LoopFilterH48::Edges edges_;
  std::unique_ptr<qpu::CommandList> list_;
};

qpu::LoopFilterVariant variant_of(std::string_view name) {
  if (name == "word") return qpu::LoopFilterVariant::word;
  if (name == "byte") return qpu::LoopFilterVariant::byte;
  throw usage_error("loop_filter has no variant {} (word, byte)", name);
}

class LoopFilterWorkload : public gates::Workload {
 public:
  explicit LoopFilterWorkload(gates::WorkloadRequest request)
      : request_(std::move(request)),
        stride_(row_stride(request_.width)),
        plane_(block_.add("plane", stride_ * static_cast<std::size_t>(request_.height))),
        edges_(
            vp9::grid_edges_h(request_.width, request_.height, stride_,
                              vp9::loop_filter_limits(request_.filter_level, request_.sharpness))) {
    if (edges_.empty()) {
      throw usage_error("loop_filter needs a picture of at least 12x8 samples, not {}x{}",
                        request_.width, request_.height);
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
    vp9::loop_filter_h_4_8(plane(memory), share(units));
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    neon::loop_filter_h_4_8(plane(memory), share(units));
  }

  [[nodiscard]] std::unique_ptr<gates::RecordedWork> record(
      qpu::Device& device, qpu::Buffer& memory, std::string_view variant) const override {
    return std::make_unique<RecordedLoopFilter>(device, memory, variant_of(variant),
                                                block_.region(plane_), stride_, edges_);
  }

  [[nodiscard]] std::vector<gates::BranchRate> branch_rates(
      std::span<const std::byte> memory) const override {
    const auto bytes = block_.part(memory, plane_);
    const vp9::LoopFilterBranches count = vp9::count_branches(
        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, stride_, edges_);
    const auto share_of = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
    };
    return {{"mask", share_of(count.mask, count.lines), "lines"},
            {"hev", share_of(count.hev, count.mask), "masked lines"},
            {"flat", share_of(count.flat, count.mask), "masked lines"}};
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    if (block_.region_of(byte) != plane_) return std::nullopt;
    const std::size_t at = byte - block_.region(plane_).offset;
    const std::size_t cell_column = (at % stride_ + kReach) / 8;
    const std::size_t cell = at / stride_ / kEdgeRows * cell_columns_ + cell_column;
    if (cell_column >= cell_columns_ || cell >= cells_.size()) return std::nullopt;
    return cells_[cell];
  }

  [[nodiscard]] std::string describe(std::size_t byte) const override {
    if (block_.region_of(byte) != plane_) return block_.describe_guard(byte);
    const std::size_t at = byte - block_.region(plane_).offset;
    const std::size_t x = at % stride_;
    const std::size_t y = at / stride_;
    const std::optional<std::size_t> edge = unit_of(byte);
    if (!edge) return fmt::format("sample (x {}, y {}), which no edge touches", x, y);
    constexpr std::array kNames = {"p3", "p2", "p1", "p0", "q0", "q1", "q2", "q3"};
    return fmt::format("edge {} (x {}, y {}), row {}, {}", *edge, edges_[*edge].offset % stride_,
                       edges_[*edge].offset / stride_, y % kEdgeRows, kNames[(x + kReach) % 8]);
  }

 private:
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

  // Which edge owns the 8x8 cell around it: columns 8k-4 .. 8k+3, rows 8r .. 8r+7.
  void index_cells() {
    cell_columns_ = (static_cast<std::size_t>(request_.width) + kReach) / 8 + 1;
    cells_.resize(cell_columns_ * (static_cast<std::size_t>(request_.height) / kEdgeRows + 1));
    for (std::size_t index = 0; index < edges_.size(); ++index) {
      const std::size_t x = edges_[index].offset % stride_;
      const std::size_t y = edges_[index].offset / stride_;
      cells_[y / kEdgeRows * cell_columns_ + x / 8] = index;
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
  [[nodiscard]] std::string_view name() const override { return "loop_filter"; }
  [[nodiscard]] std::string_view description() const override {
    return "VP9 loop filter, 4 wide, vertical edges of the 8x8 luma grid (h_4_8)";
  }
  [[nodiscard]] std::string_view unit() const override { return "edge"; }
  [[nodiscard]] std::vector<std::string_view> variants() const override { return {"word", "byte"}; }
  [[nodiscard]] const qpu::ProgramInterface& interface(std::string_view variant) const override {
    return qpu::loop_filter_h_4_8_interface(variant_of(variant));
  }

  [[nodiscard]] std::unique_ptr<gates::Workload> make_workload(
      const gates::WorkloadRequest& request) const override {
    gates::WorkloadRequest own = request;
    if (request.content == Content::input) {
      if (!request.picture) throw usage_error("loop_filter: input content needs a picture");
      const video::PictureFormat& format = request.picture->format();
      if (format.pixel.bits != 8) {
        throw usage_error("loop_filter filters 8-bit samples, the input has {} bits",
                          format.pixel.bits);
      }
      own.width = format.width;
      own.height = format.height;
    }
    video::check_format({own.width, own.height, {video::Chroma::c400, 8}});
    return std::make_unique<LoopFilterWorkload>(std::move(own));
  }
};

}  // namespace

const gates::Kernel& loop_filter_kernel() {
  static const LoopFilterKernel kernel;
  return kernel;
}

}  // namespace sidecore::bench
