#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "base/error.h"
#include "kernels/registry.h"
#include "kernels/vp9/stage_recorder.h"
#include "kernels/vp9/vp9_player.h"
#include "qpu/vp9/inverse_transform.h"
#include "vp9/block_kinds.h"

namespace sidecore::bench {
namespace {

using vp9::TransformBlock;

struct TransformUnit {
  TransformBlock block;
  std::size_t coefficients = 0;  ///< offset of the coefficients in the input, in bytes

  template <class Sample>
  void run(const vp9::Dsp<Sample>& dsp, Sample* to, std::ptrdiff_t stride,
           const InputPointers& inputs) const {
    using Coefficient = typename vp9::Dsp<Sample>::Coefficient;
    dsp.inverse_transform(block.size, block.type)(
        block, reinterpret_cast<const Coefficient*>(inputs[0] + coefficients), to, stride);
  }

  [[nodiscard]] std::string text() const {
    return fmt::format("{} of {} rows and {} columns{}", vp9::kTransformTypeNames[block.type],
                       block.rows, block.columns, block.narrow ? ", narrow" : "");
  }

  struct Mark {
    const char* name;
    bool (*marked)(const TransformUnit& unit);
  };
  template <vp9::TransformSize size>
  static bool is(const TransformUnit& unit) {
    return unit.block.size == size;
  }
  static bool sine(const TransformUnit& unit) {
    return unit.block.type != vp9::kDctDct && unit.block.type != vp9::kWalshHadamard;
  }
  static bool alone(const TransformUnit& unit) { return unit.block.end == 1; }
  static bool narrow(const TransformUnit& unit) { return unit.block.narrow; }
  static constexpr std::array kMarks = {Mark{"4x4", is<vp9::kTransform4x4>},
                                        Mark{"8x8", is<vp9::kTransform8x8>},
                                        Mark{"16x16", is<vp9::kTransform16x16>},
                                        Mark{"32x32", is<vp9::kTransform32x32>},
                                        Mark{"a sine transform", sine},
                                        Mark{"first coefficient alone", alone},
                                        Mark{"narrow", narrow}};
};

/// Draws a block's coefficients for a test content, in its first rows and columns only, and the
/// values that a parser derives from them.
template <class Coefficient>
class DrawnCoefficients {
 public:
  DrawnCoefficients(TransformBlock block, gates::Content content, Random& random)
      : block_(block), random_(random), side_(4 << block.size) {
    values_.resize(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_));
    const int rows = extent(content);
    const int columns = extent(content);
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) set(row, column, drawn(content));
    }
    // A coefficient is set if the block has none, because every listed block must have one.
    if (block_.end == 0) set(0, 0, 1);
    block_.narrow = sum_ <= TransformBlock::kNarrowSum;
  }

  [[nodiscard]] const TransformBlock& block() const { return block_; }
  [[nodiscard]] const Coefficient* data() const { return values_.data(); }

 private:
  int extent(gates::Content content) {
    if (content == gates::Content::flat) return 1;
    const int most = std::max(1, side_ >> random_.below(4));
    return 1 + static_cast<int>(random_.below(static_cast<std::uint32_t>(most)));
  }

  Coefficient drawn(gates::Content content) {
    const auto uniform = [&](std::uint32_t most) {
      return static_cast<Coefficient>(static_cast<std::int64_t>(random_.below(2 * most + 1)) -
                                      most);
    };
    switch (content) {
      case gates::Content::smooth:
        return random_.below(3) == 0 ? uniform(20) : Coefficient{0};
      case gates::Content::flat:
        return uniform(2000);
      case gates::Content::high_variance:
        return random_.below(2) == 0 ? std::numeric_limits<Coefficient>::min()
                                     : std::numeric_limits<Coefficient>::max();
      default:  // every magnitude is equally frequent, at each bit depth
        return uniform(1U << random_.below(sizeof(Coefficient) == 2 ? 15 : 20));
    }
  }

  void set(int row, int column, Coefficient value) {
    if (value == 0) return;
    const int index = row * side_ + column;
    values_[static_cast<std::size_t>(index)] = value;
    block_.rows = std::max(block_.rows, static_cast<std::uint8_t>(row + 1));
    block_.columns = std::max(block_.columns, static_cast<std::uint8_t>(column + 1));
    block_.end = row + column == 0 ? 1 : static_cast<std::uint16_t>(side_ * side_);
    const std::int64_t wide = value;
    sum_ += static_cast<std::uint64_t>(wide < 0 ? -wide : wide);
  }

  TransformBlock block_;
  Random& random_;
  int side_;
  std::uint64_t sum_ = 0;
  std::vector<Coefficient> values_;
};

constexpr std::array<BlockShape, vp9::kTransformSizes> kTransformShapes{
    {{4, 4}, {8, 8}, {16, 16}, {32, 32}}};

constexpr std::string_view kBlocks = "blocks";
// Variant with a separate dispatch for every kind of block, to show the cost of each shader.
constexpr std::string_view kBlocksApart = "blocks apart";

/// Places random blocks at multiples of their size, one block's width apart.
void scatter_aligned(
    const video::PictureFormat& format, Random& random,
    const std::function<void(int plane, int x, int y, const BlockShape& shape)>& place) {
  constexpr int kArea = vp9::kSuperblock;
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    const int width = format.plane_width(plane);
    const int height = format.plane_height(plane);
    for (int top = 0; top < height; top += kArea) {
      for (int left = 0; left < width; left += kArea) {
        const BlockShape& shape = kTransformShapes[random.below(kTransformShapes.size())];
        const int right = std::min(left + kArea, width) - shape.width;
        const int bottom = std::min(top + kArea, height) - shape.height;
        for (int y = top; y <= bottom; y += 2 * shape.height) {
          for (int x = left; x <= right; x += 2 * shape.width) place(plane, x, y, shape);
        }
      }
    }
  }
}

class TransformRecorder final : public RecorderOf<TransformRecorder, TransformUnit> {
 public:
  /// Workload whose QPU dispatches are the decoder's.
  class TransformWorkload final : public UnitWorkload {
   public:
    using UnitWorkload::UnitWorkload;

   private:
    void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                      std::string_view variant) const override {
      if (variant != kBlocks && variant != kBlocksApart)
        throw usage_error("inverse_transform has no variant {}", variant);
      if (work().format.pixel.bits == 8) {
        record_blocks<std::int16_t>(device, list, memory, variant);
      } else {
        record_blocks<std::int32_t>(device, list, memory, variant);
      }
    }

    template <class Coefficient>
    void record_blocks(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                       std::string_view variant) const {
      qpu::PicturePlanes planes = qpu::PicturePlanes::of(work().format);
      std::vector<TransformBlock> blocks;
      for (std::size_t unit = 0; unit < all().size(); ++unit) {
        TransformBlock block = all()[unit].block;
        block.first_coefficient =
            static_cast<std::uint32_t>(all()[unit].coefficients / sizeof(Coefficient));
        const std::size_t offset = work().blocks[unit].offset;
        for (std::size_t plane = 0; plane < planes.planes.size(); ++plane) {
          const auto& [begin, stride, rows] = planes.planes[plane];
          if (rows == 0 || offset < begin || offset >= begin + stride * rows) continue;
          block.plane = static_cast<std::uint8_t>(plane);
          block.x = static_cast<std::uint16_t>((offset - begin) % stride /
                                               work().format.pixel.bytes_per_sample());
          block.y = static_cast<std::uint16_t>((offset - begin) / stride);
        }
        blocks.push_back(block);
      }
      for (auto& plane : planes.planes) plane.offset += frame_offset();
      const std::vector<qpu::ResidualUse> uses(blocks.size(), qpu::ResidualUse::add);
      const std::vector<std::byte>& bytes = work().inputs.front().bytes;
      qpu::InverseTransform transform(
          device, work().format.pixel.bits,
          variant == kBlocksApart ? 0 : qpu::InverseTransform::kMinCornerLanes);
      transform.set_blocks<Coefficient>(
          blocks, uses,
          {reinterpret_cast<const Coefficient*>(bytes.data()), bytes.size() / sizeof(Coefficient)});
      transform.record(list, memory, planes);
    }
  };

  [[nodiscard]] std::unique_ptr<StageWorkload> make(RecordedStage work,
                                                    std::vector<TransformUnit> units) override {
    return std::make_unique<TransformWorkload>(std::move(work), std::move(units));
  }

  static auto& entries(auto& dsp) { return dsp.inverse_transforms; }

  template <class Sample, class Coefficient>
  void note(std::size_t /*size*/, std::size_t /*type*/, const TransformBlock& block,
            const Coefficient* coefficients, const Sample* samples, std::ptrdiff_t stride) {
    const int side = 4 << block.size;
    add_block(samples, stride, side, side);
    const auto count = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    units_.push_back({block, append(input("coefficients"), coefficients, count)});
    for (int row = 0; row < side; ++row) {
      append_bytes(work_.found, std::as_bytes(std::span(samples + row * stride,
                                                        static_cast<std::size_t>(side))));
    }
  }

  void draw(video::Picture& frame, const vp9::FrameBuffer& /*reference*/, gates::Content content,
            Random& random) override {
    const auto draw_by = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
      scatter_aligned(
          frame.format(), random, [&](int plane, int x, int y, const BlockShape& shape) {
            TransformBlock block;
            block.size = size_of(shape);
            do {
              block.type =
                  static_cast<vp9::TransformType>(random.below(vp9::kTransformTypeNames.size()));
            } while (dsp->inverse_transform(block.size, block.type) == nullptr);
            const DrawnCoefficients<typename vp9::Dsp<Sample>::Coefficient> drawn(block, content,
                                                                                  random);
            const auto to = frame.plane<Sample>(plane);
            dsp->inverse_transform(block.size, block.type)(drawn.block(), drawn.data(),
                                                           to.row(y) + x, to.stride);
          });
    };
    std::visit(draw_by, tables().of(frame.format().pixel.bits));
  }

 private:
  static vp9::TransformSize size_of(const BlockShape& shape) {
    const auto found = std::ranges::find(kTransformShapes, shape.width, &BlockShape::width);
    return static_cast<vp9::TransformSize>(found - kTransformShapes.begin());
  }
};

}  // namespace

// inverse_transform: all transform blocks of a frame that have coefficients, added to their
// predictions. Random coefficients fill some first rows and columns, often all. Their values depend
// on the test content:
//   random         every magnitude that a stream can have, equally often
//   smooth         small values, most of them 0, as encoders produce them
//   flat           only the first coefficient is not 0
//   high_variance  the lowest and the highest value of the type
std::vector<gates::Kernel> inverse_transform_kernels() {
  gates::Kernel kernel = recorded_stage(
      "inverse_transform", "VP9 inverse transforms added to the prediction, all blocks",
      [] { return std::make_unique<TransformRecorder>(); });
  kernel.variants = {{kBlocks, qpu::InverseTransform::shaders()},
                     {kBlocksApart, qpu::InverseTransform::shaders(), true}};
  kernel.partner = "inter_prediction";
  play_stage(kernel, vp9::Stage::residual);
  return {std::move(kernel)};
}

}  // namespace sidecore::bench
