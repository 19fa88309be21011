#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <variant>

#include "bench/registry.h"
#include "bench/vp9/block_kinds.h"
#include "bench/vp9/stage_recorder.h"

namespace sidecore::bench {
namespace {

using vp9::InterKind;

/// A call of one entry of the table.
struct InterCall {
  InterKind kind = InterKind::copy;
  vp9::InterpolationFilter filter = vp9::kEightTap;
  vp9::ReferenceArea area;
  std::uint8_t input = 0;
  std::size_t from = 0;  ///< bytes into the input
  std::ptrdiff_t from_stride = 0;
};

/// A block and what it is predicted from: one reference or the mean of two.
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
                         kInterKindNames[static_cast<std::size_t>(call.kind)], call.area.x & 15,
                         call.area.y & 15, static_cast<int>(call.filter));
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

/// Whole samples that a call may read along an axis, from the first that is fetched.
struct Reach {
  int before = 0;
  int count = 0;
};

Reach reach_of(int start, int step, int count, InterKind kind) {
  if (kind != InterKind::scaled && (start & 15) == 0) return {0, count};
  const int fetched = (((count - 1) * step + (start & 15)) >> 4) + 1;
  return {vp9::kTapsBefore, vp9::kTapsBefore + fetched + vp9::kReadBehind};
}

constexpr std::array<BlockShape, 13> kShapes{{{4, 4},
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
  static auto& entries(auto& dsp) { return dsp.inter; }

  template <class Sample>
  void note(std::size_t average, std::size_t kind, const Sample* from, std::ptrdiff_t from_stride,
            const vp9::ReferenceArea& area, vp9::InterpolationFilter filter, const Sample* to,
            std::ptrdiff_t stride) {
    InterCall call{static_cast<InterKind>(kind), filter, area, 0, 0, from_stride};
    if (const auto place = find(from)) {
      call.input = reference(place->frame);
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
    // Not far behind the block's first prediction: those of other quarters may come between.
    const auto first = std::find_if(
        work_.blocks.rbegin(), work_.blocks.rend(),
        [offset = offset_of(to)](const WrittenBlock& block) { return block.offset == offset; });
    assert(first != work_.blocks.rend());
    units_[static_cast<std::size_t>(work_.blocks.rend() - first) - 1].second = call;
  }

  [[nodiscard]] std::unique_ptr<StageWorkload> take(const video::Picture& frame) override {
    references_.clear();
    return RecorderOf::take(frame);
  }

  void draw(video::Picture& frame, const video::Picture& reference, gates::Content /*content*/,
            Random& random) override {
    const auto draw_by = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
      scatter(frame.format(), kShapes, random,
              [&](int plane, int x, int y, const BlockShape& shape) {
                const auto to = frame.plane<Sample>(plane);
                const bool scaled = random.below(8) == 0;
                for (const bool average : {false, true}) {
                  if (average && random.below(3) != 0) break;
                  predict_inter(*dsp, reference.plane<Sample>(plane),
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
    constexpr std::uint32_t kFarthest = 80;  // samples: from within to far beyond the border
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

  /// The input that has the samples of this frame, which do not change while another is predicted.
  std::uint8_t reference(std::span<const std::byte> frame) {
    const auto found = std::ranges::find(references_, frame.data(), &Reference::memory);
    if (found != references_.end()) return found->input;
    const auto added =
        static_cast<std::uint8_t>(input(fmt::format("reference {}", references_.size() + 1)));
    append(added, frame.data(), frame.size());
    references_.push_back({frame.data(), added});
    return added;
  }

  /// Where `from` lies in the copy.
  template <class Sample>
  std::size_t copy_window(const InterCall& call, const Sample* from) {
    const vp9::ReferenceArea& area = call.area;
    const Reach x = reach_of(area.x, area.step_x, area.width, call.kind);
    const Reach y = reach_of(area.y, area.step_y, area.height, call.kind);
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

  struct Reference {
    const std::byte* memory;
    std::uint8_t input;
  };
  std::vector<Reference> references_;
};

}  // namespace

// inter_prediction: all blocks of a frame that are predicted from other frames. The workload has
// the whole memory of each reference, so that reads are as far apart as a decoder's, and a copy of
// the window of each block that reaches beyond a border, as the decoder's callee gets it.
std::vector<gates::Kernel> inter_prediction_kernels() {
  return {recorded_stage("inter_prediction", "VP9 prediction from other frames, all blocks",
                         [] { return std::make_unique<InterRecorder>(); })};
}

}  // namespace sidecore::bench
