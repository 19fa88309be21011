#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <variant>

#include "base/error.h"
#include "kernels/registry.h"
#include "kernels/vp9/stage_recorder.h"
#include "kernels/vp9/vp9_player.h"
#include "qpu/vp9/intra_prediction.h"
#include "vp9/block_kinds.h"
#include "vp9/intra_schedule.h"

namespace sidecore::bench {
namespace {

/// Neighbours that a predictor reads. All other neighbours may have any value.
struct Reads {
  bool above = false;
  bool left = false;
  bool corner = false;
};
constexpr std::array<Reads, vp9::kIntraPredictors> kReads{{{true, true, false},
                                                           {true, false, false},
                                                           {false, true, false},
                                                           {true, false, false},
                                                           {true, true, true},
                                                           {true, true, true},
                                                           {true, true, true},
                                                           {false, true, false},
                                                           {true, false, false},
                                                           {true, true, true},
                                                           {true, false, false},
                                                           {false, true, false},
                                                           {false, false, false}}};

/// Number of samples stored before the row above; the last of them is the corner.
constexpr std::size_t kBeforeAbove = 4;

// Indices of the workload's inputs.
constexpr std::size_t kNeighbours = 0;
constexpr std::size_t kResidual = 1;

struct IntraUnit {
  std::uint8_t predictor = 0;
  std::uint8_t size = 0;
  std::size_t neighbours =
      /// Offset of the block's neighbours in the input kNeighbours, in bytes: kBeforeAbove samples,
      /// the 2N samples above the block, then the N samples to its left.
      0;
  bool has_residual = false;
  std::size_t residual = 0;  ///< offset in the residual input, in elements; used if has_residual

  [[nodiscard]] std::size_t side() const { return std::size_t{4} << size; }

  template <class Sample>
  void predict(const vp9::Dsp<Sample>& dsp, Sample* to, std::ptrdiff_t stride,
               const std::byte* input) const {
    const auto* const above = reinterpret_cast<const Sample*>(input + neighbours) + kBeforeAbove;
    dsp.intra[predictor][size](to, stride, above, above + 2 * side());
  }

  template <class Sample>
  void run(const vp9::Dsp<Sample>& dsp, Sample* to, std::ptrdiff_t stride,
           const InputPointers& inputs) const {
    predict(dsp, to, stride, inputs[kNeighbours]);
    if (!has_residual) return;
    using Element = typename vp9::Dsp<Sample>::Coefficient;
    const Element* more = reinterpret_cast<const Element*>(inputs[kResidual]) + residual;
    const int most = (1 << dsp.bits) - 1;
    for (std::size_t row = 0; row < side(); ++row, to += stride, more += side()) {
      for (std::size_t column = 0; column < side(); ++column) {
        to[column] = static_cast<Sample>(std::clamp<int>(to[column] + more[column], 0, most));
      }
    }
  }

  [[nodiscard]] std::string text() const { return vp9::kIntraPredictorNames[predictor]; }

  struct Mark {
    const char* name;
    bool (*marked)(const IntraUnit& unit);
  };
  template <vp9::TransformSize size>
  static bool is(const IntraUnit& unit) {
    return unit.size == size;
  }
  template <int predictor>
  static bool by(const IntraUnit& unit) {
    return unit.predictor == predictor;
  }
  static bool mean(const IntraUnit& unit) {
    return unit.predictor == vp9::kDcPrediction || unit.predictor >= vp9::kDcOfAbove;
  }
  static bool directional(const IntraUnit& unit) {
    return unit.predictor >= vp9::kD45Prediction && unit.predictor <= vp9::kD63Prediction;
  }
  static bool with_residual(const IntraUnit& unit) { return unit.has_residual; }
  static constexpr std::array kMarks = {Mark{"4x4", is<vp9::kTransform4x4>},
                                        Mark{"8x8", is<vp9::kTransform8x8>},
                                        Mark{"16x16", is<vp9::kTransform16x16>},
                                        Mark{"32x32", is<vp9::kTransform32x32>},
                                        Mark{"dc", mean},
                                        Mark{"v", by<vp9::kVerticalPrediction>},
                                        Mark{"h", by<vp9::kHorizontalPrediction>},
                                        Mark{"directional", directional},
                                        Mark{"tm", by<vp9::kTrueMotionPrediction>},
                                        Mark{"residual", with_residual}};
};

constexpr std::array<BlockShape, vp9::kTransformSizes> kIntraShapes{
    {{4, 4}, {8, 8}, {16, 16}, {32, 32}}};

constexpr std::string_view kWaves = "waves";

class IntraRecorder final : public RecorderOf<IntraRecorder, IntraUnit> {
 public:
  /// Workload of the frame's blocks, with the order in which the QPU predicts them.
  class IntraWorkload final : public UnitWorkload {
   public:
    IntraWorkload(RecordedStage work, std::vector<IntraUnit> units, vp9::IntraScheduler schedule)
        : UnitWorkload(std::move(work), std::move(units)),
          schedule_(std::move(schedule)),
          transforms_(all().size()) {
      assert(schedule_.blocks().size() == all().size());
      for (std::size_t unit = 0; unit < all().size(); ++unit) {
        transforms_[unit].first_coefficient = static_cast<std::uint32_t>(all()[unit].residual);
        schedule_.set_transform(unit, all()[unit].has_residual ? &transforms_[unit] : nullptr);
      }
    }

   private:
    // Records the decoder's dispatches. They predict inside the frame, because the neighbours are
    // there.
    void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                      std::string_view variant) const override {
      if (variant != kWaves) throw usage_error("intra_prediction has no variant {}", variant);
      qpu::IntraPrediction prediction(device, work().format.pixel.bits);
      prediction.set_blocks(schedule_, qpu::PicturePlanes::of(work().format));
      prediction.record(list, {&memory, frame_offset(), work().samples.size()},
                        {&memory, input_offset(kResidual), work().inputs[kResidual].bytes.size()});
    }

    vp9::IntraScheduler schedule_;
    std::vector<vp9::TransformBlock> transforms_;  ///< position of the residual of each unit
  };

  static auto& entries(auto& dsp) { return dsp.intra; }

  template <class Sample>
  void note(std::size_t predictor, std::size_t size, const Sample* to, std::ptrdiff_t stride,
            const Sample* above, const Sample* left) {
    const std::size_t side = std::size_t{4} << size;
    add_block(to, stride, static_cast<int>(side), static_cast<int>(side));
    // Samples that the predictor must not read get a value that reveals a wrong kernel.
    std::vector<Sample> samples(kBeforeAbove + 3 * side, static_cast<Sample>(0xa5a5));
    const Reads& reads = kReads[predictor];
    const bool reads_right = predictor == vp9::kD45Prediction || predictor == vp9::kD63Prediction;
    const auto place = [&](const Sample* from, std::size_t count, std::size_t at) {
      std::copy_n(from, count, samples.begin() + static_cast<std::ptrdiff_t>(at));
    };
    if (reads.corner) place(above - 1, 1, kBeforeAbove - 1);
    if (reads.above) place(above, side == 4 && reads_right ? 2 * side : side, kBeforeAbove);
    if (reads.left) place(left, side, kBeforeAbove + 2 * side);
    units_.push_back({static_cast<std::uint8_t>(predictor), static_cast<std::uint8_t>(size),
                      append(input("neighbours"), samples.data(), samples.size())});
  }

  // Schedules the frame's blocks. The calls follow in the same order.
  void begin(const vp9::ParsedFrame& parsed) override {
    schedule_.schedule(parsed.header, parsed.picture);
  }

  [[nodiscard]] std::unique_ptr<StageWorkload> take(const video::Picture& frame) override {
    frame_ = &frame;
    return RecorderOf::take(frame);
  }

  // Makes the workload. A block's residual is its final samples minus its prediction.
  [[nodiscard]] std::unique_ptr<StageWorkload> make(RecordedStage work,
                                                    std::vector<IntraUnit> units) override {
    const std::span<const std::byte> frame = frame_->bytes();
    work.samples.assign(frame.begin(), frame.end());
    work.inputs.push_back({"residual", {}});
    const auto separate = [&](const auto* dsp) {
      for (std::size_t unit = 0; unit < units.size(); ++unit) {
        take_residual(*dsp, work, work.blocks[unit], units[unit]);
      }
    };
    std::visit(separate, vp9::scalar_dsp().of(work.format.pixel.bits));
    // The input has memory even if there is no residual, because a shader binds it.
    if (work.inputs.back().bytes.empty()) work.inputs.back().bytes.resize(kBeforeAbove * 4);
    return std::make_unique<IntraWorkload>(std::move(work), std::move(units), schedule_);
  }

  void draw(video::Picture& frame, const vp9::FrameBuffer& /*reference*/, gates::Content content,
            Random& random) override {
    std::vector<vp9::IntraBlock> drawn;
    const auto draw_by = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
      scatter(frame.format(), kIntraShapes, random,
              [&](int plane, int x, int y, const BlockShape& shape) {
                const auto to = frame.plane<Sample>(plane);
                const auto found = std::ranges::find(kIntraShapes, shape.width, &BlockShape::width);
                // Most blocks have all their neighbours, as in streams.
                const vp9::IntraSurroundings where{.x = x,
                                                   .y = y,
                                                   .above = random.below(8) != 0,
                                                   .left = random.below(8) != 0,
                                                   .above_right = random.below(2) == 0,
                                                   .end_x = to.width,
                                                   .end_y = to.height};
                vp9::IntraBlock block{.where = where, .plane = static_cast<std::uint8_t>(plane)};
                block.size = static_cast<vp9::TransformSize>(found - kIntraShapes.begin());
                block.mode = static_cast<vp9::PredictionMode>(random.below(vp9::kIntraModes));
                drawn.push_back(block);
                predict_intra(*dsp, to, where, block.size, block.mode);
                if (random.below(2) == 0) return;
                const int most = (1 << dsp->bits) - 1;
                const int range = content == gates::Content::high_variance ? most : most / 32;
                for (int row = 0; row < shape.height; ++row) {
                  for (int column = 0; column < shape.width; ++column) {
                    Sample& sample = to.row(y + row)[x + column];
                    sample = static_cast<Sample>(
                        std::clamp(sample + drawn_difference(range, random), 0, most));
                  }
                }
              });
    };
    std::visit(draw_by, tables().of(frame.format().pixel.bits));
    schedule_.schedule(drawn);
  }

 private:
  static int drawn_difference(int range, Random& random) {
    return static_cast<int>(random.below(2 * static_cast<std::uint32_t>(range) + 1)) - range;
  }

  // Computes a block's residual. Replaces the block's samples by noise, so that M1 finds samples
  // that no unit writes.
  template <class Sample>
  static void take_residual(const vp9::Dsp<Sample>& dsp, RecordedStage& work,
                            const WrittenBlock& block, IntraUnit& unit) {
    using Element = typename vp9::Dsp<Sample>::Coefficient;
    const std::size_t side = unit.side();
    std::vector<Sample> predicted(side * side);
    unit.predict(dsp, predicted.data(), block.width, work.inputs[kNeighbours].bytes.data());
    std::vector<Element> residual(side * side);
    auto* row = reinterpret_cast<Sample*>(work.samples.data() + block.offset);
    for (std::size_t y = 0; y < side; ++y, row += block.stride) {
      for (std::size_t x = 0; x < side; ++x) {
        const std::size_t at = y * side + x;
        residual[at] = static_cast<Element>(row[x] - predicted[at]);
        row[x] = static_cast<Sample>((at * 37 + 0x5a) & ((1U << dsp.bits) - 1));
      }
    }
    if (std::ranges::all_of(residual, [](Element more) { return more == 0; })) return;
    unit.has_residual = true;
    unit.residual = append_bytes(work.inputs[kResidual].bytes, std::as_bytes(std::span(residual))) /
                    sizeof(Element);
  }

  const video::Picture* frame_ = nullptr;
  vp9::IntraScheduler schedule_;
};

}  // namespace

// intra_prediction: all blocks of a frame that are predicted from their neighbours. The neighbours
// are final samples of earlier blocks: prediction plus residual. Each unit also adds its block's
// residual; on the CPU scalar code and NEON share the loop for that. The CPU's units have copies of
// their neighbours, so that threads can divide them. The QPU predicts inside the frame in the
// decoder's order. Random residuals are small; with high_variance they have any size.
std::vector<gates::Kernel> intra_prediction_kernels() {
  gates::Kernel kernel = recorded_stage(
      "intra_prediction", "VP9 prediction from neighbouring samples, all blocks, residual added",
      [] { return std::make_unique<IntraRecorder>(); });
  kernel.variants = {{kWaves, {qpu::intra_prediction_shader(8)}}};
  kernel.bit_depths = {8, 10};
  kernel.partner = "loop_filter";
  play_stage(kernel, vp9::Stage::intra);
  return {std::move(kernel)};
}

}  // namespace sidecore::bench
