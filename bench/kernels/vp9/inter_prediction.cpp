#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <variant>

#include "base/error.h"
#include "kernels/registry.h"
#include "kernels/vp9/stage_recorder.h"
#include "kernels/vp9/vp9_player.h"
#include "qpu/vp9/inter_prediction.h"
#include "vp9/block_kinds.h"
#include "vp9/inter_areas.h"

namespace sidecore::bench {
namespace {

using vp9::InterKind;

/// Position of a block and of its reference: the QPU's input for a call.
struct InterSource {
  std::size_t plane = 0;
  vp9::PlaneBlock part;
  std::uint8_t reference = 0;  ///< index of the input that holds the whole reference frame
};

/// A call of one entry of the function table.
struct InterCall {
  InterKind kind = InterKind::copy;
  vp9::InterpolationFilter filter = vp9::kEightTap;
  vp9::ReferenceArea area;
  std::uint8_t input = 0;
  std::size_t from = 0;  ///< offset of the first sample in the input, in bytes
  std::ptrdiff_t from_stride = 0;
  InterSource source{};
};

/// A block predicted from one reference, or from the mean of two.
struct InterUnit {
  InterCall first;
  std::optional<InterCall> second;

  template <class Sample>
  void run(const vp9::Dsp<Sample>& dsp, Sample* to, std::ptrdiff_t stride,
           const InputPointers& inputs) const {
    const auto predict = [&](const InterCall& call, bool average) {
      dsp.inter_prediction(average, call.kind)(
          reinterpret_cast<const Sample*>(inputs[call.input] + call.from), call.from_stride,
          call.area, call.filter, to, stride);
    };
    predict(first, false);
    if (second) predict(*second, true);
  }

  [[nodiscard]] std::string text() const {
    const auto of = [](const InterCall& call) {
      return fmt::format("{}, 16ths {} and {}, filter {}",
                         vp9::kInterKindNames[static_cast<std::size_t>(call.kind)],
                         call.area.x & 15, call.area.y & 15, static_cast<int>(call.filter));
    };
    return second ? fmt::format("{}; mean with {}", of(first), of(*second)) : of(first);
  }

  struct Mark {
    const char* name;
    bool (*marked)(const InterUnit& unit);
  };
  template <InterKind kind>
  static bool is(const InterUnit& unit) {
    return unit.first.kind == kind;
  }
  template <int width>
  static bool wide(const InterUnit& unit) {
    return unit.first.area.width == width;
  }
  static bool of_two(const InterUnit& unit) { return unit.second.has_value(); }
  static constexpr std::array kMarks = {Mark{"copy", is<InterKind::copy>},
                                        Mark{"horizontal", is<InterKind::horizontal>},
                                        Mark{"vertical", is<InterKind::vertical>},
                                        Mark{"both", is<InterKind::both>},
                                        Mark{"scaled", is<InterKind::scaled>},
                                        Mark{"mean of two", of_two},
                                        Mark{"4 wide", wide<4>},
                                        Mark{"8 wide", wide<8>},
                                        Mark{"16 wide", wide<16>},
                                        Mark{"32 wide", wide<32>},
                                        Mark{"64 wide", wide<64>}};
};

/// Samples that a call may read along one axis: `before` of them before the block's first sample,
/// and `count` in all.
struct ReadExtent {
  int before = 0;
  int count = 0;
};

ReadExtent read_extent_of(int start, int step, int count, InterKind kind) {
  if (kind != InterKind::scaled && (start & 15) == 0) return {0, count};
  const int fetched = (((count - 1) * step + (start & 15)) >> 4) + 1;
  return {vp9::kTapsBefore, vp9::kTapsBefore + fetched + vp9::kReadableAfter};
}

constexpr std::array<BlockShape, 13> kPredictionShapes{{{4, 4},
                                                        {4, 8},
                                                        {8, 4},
                                                        {8, 8},
                                                        {8, 16},
                                                        {16, 8},
                                                        {16, 16},
                                                        {16, 32},
                                                        {32, 16},
                                                        {32, 32},
                                                        {32, 64},
                                                        {64, 32},
                                                        {64, 64}}};

class InterRecorder final : public RecorderOf<InterRecorder, InterUnit> {
 public:
  /// Workload of the frame's blocks, with the reference frames and their visible sizes.
  class InterWorkload final : public UnitWorkload {
   public:
    InterWorkload(RecordedStage work, std::vector<InterUnit> units, const vp9::FrameSize& visible,
                  std::vector<vp9::FrameSize> references)
        : UnitWorkload(std::move(work), std::move(units)),
          visible_(visible),
          references_(std::move(references)) {}

   private:
    void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                      std::string_view variant) const override;

    vp9::FrameSize visible_;
    std::vector<vp9::FrameSize> references_;
  };

  static auto& entries(auto& dsp) { return dsp.inter; }

  template <class Sample>
  void note(std::size_t average, std::size_t kind, const Sample* from, std::ptrdiff_t from_stride,
            const vp9::ReferenceArea& area, vp9::InterpolationFilter filter, const Sample* to,
            std::ptrdiff_t stride) {
    assert(!sources_.empty());
    InterCall call{static_cast<InterKind>(kind), filter, area, 0, 0, from_stride, sources_.front()};
    sources_.pop_front();
    if (const auto place = find(from)) {
      call.input = call.source.reference;
      call.from = place->offset;
    } else {
      call.input = static_cast<std::uint8_t>(input("windows beyond the border"));
      call.from = copy_window(call, from);
    }
    if (average == 0) {
      add_block(to, stride, area.width, area.height);
      units_.push_back({call, {}});
      return;
    }
    // Finds the block's first prediction. Predictions of other quarters may lie between the two.
    const auto first = std::find_if(
        work_.blocks.rbegin(), work_.blocks.rend(),
        [offset = offset_of(to)](const WrittenBlock& block) { return block.offset == offset; });
    assert(first != work_.blocks.rend());
    units_[static_cast<std::size_t>(work_.blocks.rend() - first) - 1].second = call;
  }

  // Lists the sources of all calls, in the decoder's order.
  void begin(const vp9::ParsedFrame& parsed) override {
    visible_ = parsed.frame.size;
    if (parsed.header.intra_frame()) return;
    std::array<std::uint8_t, vp9::kActiveReferences> inputs{};
    std::array<vp9::ReferenceScale, vp9::kActiveReferences> scales;
    for (std::size_t index = 0; index < inputs.size(); ++index) {
      inputs[index] = reference(*parsed.references[index]);
      scales[index] = vp9::reference_scale(parsed.references[index]->size, visible_);
    }
    const vp9::InterAreas areas(parsed.picture.columns(), parsed.picture.rows(),
                                parsed.header.subsampling());
    const auto add_block = [&](const vp9::Block& block) {
      for (std::size_t which = 0; which < (block.is_compound() ? 2U : 1U); ++which) {
        const std::size_t index = vp9::reference_index(block, which);
        areas.of(block, which, scales[index],
                 [&](std::size_t begin, std::size_t end, const vp9::PlaneBlock& part,
                     const vp9::ReferenceArea& /*area*/) {
                   for (std::size_t plane = begin; plane < end; ++plane) {
                     sources_.push_back({plane, part, inputs[index]});
                   }
                 });
      }
    };
    for (int row = 0; row < parsed.picture.superblock_rows(); ++row) {
      for (int column = 0; column < parsed.picture.superblock_columns(); ++column) {
        const vp9::Range range = parsed.picture.superblock(row, column);
        for (std::uint32_t index = range.begin; index < range.end; ++index) {
          const vp9::Block& block = parsed.picture.blocks[index];
          if (block.is_inter()) add_block(block);
        }
      }
    }
  }

  [[nodiscard]] std::unique_ptr<StageWorkload> make(RecordedStage work,
                                                    std::vector<InterUnit> units) override {
    return std::make_unique<InterWorkload>(std::move(work), std::move(units), visible_,
                                           std::move(sizes_));
  }

  [[nodiscard]] std::unique_ptr<StageWorkload> take(const video::Picture& frame) override {
    assert(sources_.empty());
    auto workload = RecorderOf::take(frame);
    references_.clear();
    sizes_.clear();
    return workload;
  }

  void draw(video::Picture& frame, const vp9::FrameBuffer& from, gates::Content /*content*/,
            Random& random) override {
    visible_ = from.size;
    const std::uint8_t input = reference(from);
    const auto draw_by = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
      scatter(frame.format(), kPredictionShapes, random,
              [&](int plane, int x, int y, const BlockShape& shape) {
                const auto to = frame.plane<Sample>(plane);
                const bool scaled = random.below(8) == 0;
                for (const bool average : {false, true}) {
                  if (average && random.below(3) != 0) break;
                  sources_.push_back(
                      {static_cast<std::size_t>(plane), {x, y, shape.width, shape.height}, input});
                  predict_inter(*dsp, from.visible<Sample>(plane),
                                drawn_area(x, y, shape, scaled, random),
                                static_cast<vp9::InterpolationFilter>(random.below(4)), average,
                                to.row(y) + x, to.stride);
                }
              });
    };
    std::visit(draw_by, tables().of(frame.format().pixel.bits));
  }

 private:
  static vp9::ReferenceArea drawn_area(int x, int y, const BlockShape& shape, bool scaled,
                                       Random& random) {
    // Largest distance of a vector in samples: from inside the frame to far outside.
    constexpr std::uint32_t kFarthest = 80;
    const auto start = [&](int position) {
      const int whole = static_cast<int>(random.below(2 * kFarthest)) - int{kFarthest};
      const int fraction = random.below(3) == 0 ? 0 : static_cast<int>(random.below(16));
      return (position + whole) * 16 + fraction;
    };
    const auto step = [&] { return scaled ? 1 + static_cast<int>(random.below(32)) : 16; };
    const int start_x = start(x);
    const int start_y = start(y);
    const int step_x = step();
    const int step_y = step();
    return {start_x, start_y, step_x, step_y, shape.width, shape.height};
  }

  /// Returns the index of the workload's input that holds the samples of a reference frame; adds
  /// the input if it is missing. The samples of a reference do not change while another frame is
  /// predicted.
  std::uint8_t reference(const vp9::FrameBuffer& frame) {
    const std::span<const std::byte> memory = frame.memory.bytes();
    const auto found = std::ranges::find(references_, memory.data());
    if (found != references_.end()) {
      return static_cast<std::uint8_t>(found - references_.begin());
    }
    const std::size_t added = input(fmt::format("reference {}", references_.size() + 1));
    append(added, memory.data(), memory.size());
    references_.push_back(memory.data());
    sizes_.push_back(frame.size);
    return static_cast<std::uint8_t>(added);
  }

  /// Copies the samples that the call may read, and returns the offset of `from` in the copy.
  template <class Sample>
  std::size_t copy_window(const InterCall& call, const Sample* from) {
    const vp9::ReferenceArea& area = call.area;
    const ReadExtent x = read_extent_of(area.x, area.step_x, area.width, call.kind);
    const ReadExtent y = read_extent_of(area.y, area.step_y, area.height, call.kind);
    const std::ptrdiff_t before = y.before * call.from_stride + x.before;
    const std::vector<Sample> gap(static_cast<std::size_t>(call.from_stride - x.count));
    std::size_t first = 0;
    for (int row = 0; row < y.count; ++row) {
      const std::size_t begin = append(call.input, from - before + row * call.from_stride,
                                       static_cast<std::size_t>(x.count));
      if (row == 0) first = begin;
      append(call.input, gap.data(), gap.size());
    }
    return first + static_cast<std::size_t>(before) * sizeof(Sample);
  }

  std::vector<const std::byte*> references_;  ///< address of each input's first byte
  std::vector<vp9::FrameSize> sizes_;         ///< frame size of each input
  vp9::FrameSize visible_;
  std::deque<InterSource> sources_;  ///< sources of the calls that will follow
};

constexpr std::string_view kStrips = "strips";
// Variant with a separate dispatch for every kind of strip, to show the cost of each shader.
constexpr std::string_view kStripsApart = "strips apart";

// Records the decoder's dispatches for all blocks of the frame.
void InterRecorder::InterWorkload::record_units(qpu::Device& device, qpu::CommandList& list,
                                                qpu::Buffer& memory,
                                                std::string_view variant) const {
  if (variant != kStrips && variant != kStripsApart)
    throw usage_error("inter_prediction has no variant {}", variant);
  // The pointer has no ownership, because the workload's memory outlives the list.
  const std::shared_ptr<qpu::Buffer> borrowed{std::shared_ptr<void>(), &memory};
  const auto frame_at = [&](std::size_t offset, const vp9::FrameSize& size) {
    qpu::InterFrame frame{
        borrowed,
        qpu::PicturePlanes::of(whole_superblocks({size.width, size.height, work().format.pixel})),
        size};
    for (auto& plane : frame.planes.planes) plane.offset += offset;
    return frame;
  };
  qpu::InterReferences references;
  for (std::size_t index = 0; index < references_.size(); ++index) {
    references[index] = frame_at(input_offset(index), references_[index]);
  }
  qpu::InterPrediction prediction(device, work().format.pixel.bits,
                                  variant == kStripsApart ? 0 : qpu::InterPrediction::kMaxJoined);
  prediction.start(frame_at(frame_offset(), visible_), references, work().format.pixel.chroma);
  const auto add = [&](const InterCall& call, bool average) {
    prediction.add(call.source.plane, call.source.part, call.source.reference, call.area,
                   call.filter, average);
  };
  for (const InterUnit& unit : all()) {
    add(unit.first, false);
    if (unit.second) add(*unit.second, true);
  }
  prediction.finish();
  prediction.record(list);
}

}  // namespace

// inter_prediction: all blocks of a frame that are predicted from other frames. The workload
// contains the whole memory of each reference frame, so that reads are as scattered as a decoder's.
// For each block that reads outside the frame it contains a copy of the sample window that the
// decoder passes.
std::vector<gates::Kernel> inter_prediction_kernels() {
  gates::Kernel kernel =
      recorded_stage("inter_prediction", "VP9 prediction from other frames, all blocks",
                     [] { return std::make_unique<InterRecorder>(); });
  kernel.variants = {{kStrips, qpu::InterPrediction::shaders(8)},
                     {kStripsApart, qpu::InterPrediction::shaders(8), true}};
  kernel.bit_depths = {8, 10};
  kernel.partner = "inverse_transform";
  play_stage(kernel, vp9::Stage::prediction);
  return {std::move(kernel)};
}

}  // namespace sidecore::bench
