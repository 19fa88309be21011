#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "bench/registry.h"
#include "bench/vp9/stage_recorder.h"
#include "vp9/block_kinds.h"

namespace sidecore::bench {
namespace {

/// What a predictor reads; what else it is given may be anything.
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

/// Samples in front of the row above, the last of which is the corner.
constexpr std::size_t kBeforeAbove = 4;

struct IntraUnit {
  std::uint8_t predictor = 0;
  std::uint8_t size = 0;
  std::size_t neighbours = 0;  ///< bytes into the input: kBeforeAbove, 2N above, N to the left

  template <class Sample>
  void run(const vp9::Dsp<Sample>& dsp, Sample* to, std::ptrdiff_t stride,
           const InputPointers& inputs) const {
    const auto* const above =
        reinterpret_cast<const Sample*>(inputs[0] + neighbours) + kBeforeAbove;
    dsp.intra[predictor][size](to, stride, above, above + (std::size_t{8} << size));
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
  static constexpr std::array kMarks = {Mark{"4x4", is<vp9::kTransform4x4>},
                                        Mark{"8x8", is<vp9::kTransform8x8>},
                                        Mark{"16x16", is<vp9::kTransform16x16>},
                                        Mark{"32x32", is<vp9::kTransform32x32>},
                                        Mark{"dc", mean},
                                        Mark{"v", by<vp9::kVerticalPrediction>},
                                        Mark{"h", by<vp9::kHorizontalPrediction>},
                                        Mark{"directional", directional},
                                        Mark{"tm", by<vp9::kTrueMotionPrediction>}};
};

constexpr std::array<BlockShape, vp9::kTransformSizes> kShapes{
    {{4, 4}, {8, 8}, {16, 16}, {32, 32}}};

class IntraRecorder final : public RecorderOf<IntraRecorder, IntraUnit> {
 public:
  static auto& entries(auto& dsp) { return dsp.intra; }

  template <class Sample>
  void note(std::size_t predictor, std::size_t size, const Sample* to, std::ptrdiff_t stride,
            const Sample* above, const Sample* left) {
    const std::size_t side = std::size_t{4} << size;
    add_block(to, stride, static_cast<int>(side), static_cast<int>(side));
    // Where nothing is read there is what no stream has: only a wrong kernel would see it.
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

  void draw(video::Picture& frame, const vp9::FrameBuffer& /*reference*/,
            gates::Content /*content*/, Random& random) override {
    const auto draw_by = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
      scatter(
          frame.format(), kShapes, random, [&](int plane, int x, int y, const BlockShape& shape) {
            const auto to = frame.plane<Sample>(plane);
            const auto found = std::ranges::find(kShapes, shape.width, &BlockShape::width);
            // What is missing beside a block is missing seldom.
            const vp9::IntraSurroundings where{.x = x,
                                               .y = y,
                                               .above = random.below(8) != 0,
                                               .left = random.below(8) != 0,
                                               .above_right = random.below(2) == 0,
                                               .end_x = to.width,
                                               .end_y = to.height};
            predict_intra(*dsp, to, where, static_cast<vp9::TransformSize>(found - kShapes.begin()),
                          static_cast<vp9::PredictionMode>(random.below(vp9::kIntraModes)));
          });
    };
    std::visit(draw_by, tables().of(frame.format().pixel.bits));
  }
};

}  // namespace

// intra_prediction: all blocks of a frame that are predicted from their neighbours, which are what
// the decoder found there when it came to the block: prediction and residual of those before it.
std::vector<gates::Kernel> intra_prediction_kernels() {
  return {recorded_stage("intra_prediction", "VP9 prediction from neighbouring samples, all blocks",
                         [] { return std::make_unique<IntraRecorder>(); })};
}

}  // namespace sidecore::bench
