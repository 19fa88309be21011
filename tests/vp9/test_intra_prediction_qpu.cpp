// Compares the QPU's intra prediction of whole frames with the scalar definition block by block, on
// the default device with the validation layer and V3D's limits.
// ctest: long
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/random.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/intra_prediction.h"
#include "vp9/block_tables.h"
#include "vp9/dsp.h"
#include "vp9/intra_schedule.h"

namespace sidecore::test_intra_prediction_qpu {
namespace {

constexpr std::uint64_t kSeed = 20261122;

struct Drawn {
  std::string name;
  int width = 0;
  int height = 0;
  int bits = 8;
  video::Chroma chroma = video::Chroma::c420;
  int tile_columns_log2 = 0;
  unsigned intra = 8;  ///< number of intra blocks, in eighths of all blocks
  unsigned split = 6;  ///< number of divided squares, in eighths of all squares
};

// Arrays of a random frame with blocks of all sizes, modes and transforms, as a parser leaves them.
class DrawnFrame {
 public:
  DrawnFrame(const Drawn& drawn, std::uint64_t seed) : drawn_(drawn), random_(seed) {
    header_.key_frame = drawn.intra == 8;
    header_.size = {drawn.width, drawn.height};
    header_.pixel = {drawn.chroma, drawn.bits};
    header_.tile_columns_log2 = drawn.tile_columns_log2;
    picture_.prepare(header_);
    for (int row = 0; row < picture_.superblock_rows(); ++row) {
      for (int column = 0; column < picture_.superblock_columns(); ++column) {
        vp9::Range& range = picture_.superblock(row, column);
        range.begin = blocks_;
        cut(row * 8, column * 8, 3);
        range.end = blocks_;
      }
    }
    const std::size_t count = coefficients_;
    residual_.resize(count);
    const int most = 1 << drawn.bits;
    for (int& value : residual_) {
      value = random_.below(4) == 0 ? static_cast<int>(random_.below(2U << drawn.bits)) - most
                                    : static_cast<int>(random_.below(9)) - 4;
    }
  }

  [[nodiscard]] const vp9::FrameHeader& header() const { return header_; }
  [[nodiscard]] const vp9::PictureData& picture() const { return picture_; }
  [[nodiscard]] const std::vector<int>& residual() const { return residual_; }
  [[nodiscard]] video::PictureFormat format() const {
    return {picture_.superblock_columns() * 64, picture_.superblock_rows() * 64, header_.pixel};
  }

 private:
  void cut(int row, int column, int log2) {
    if (row >= picture_.rows() || column >= picture_.columns()) return;
    const int half = (1 << log2) / 2;
    if (log2 > 0 && random_.below(8) < drawn_.split) {
      for (int part = 0; part < 4; ++part) {
        cut(row + part / 2 * half, column + part % 2 * half, log2 - 1);
      }
      return;
    }
    const auto partition = static_cast<vp9::Partition>(random_.below(log2 == 0 ? 4 : 3));
    const vp9::BlockSize size = vp9::kSubsize[partition][log2];
    add(row, column, size);
    if (log2 == 0) return;
    if (partition == vp9::kPartitionHorizontal && row + half < picture_.rows()) {
      add(row + half, column, size);
    }
    if (partition == vp9::kPartitionVertical && column + half < picture_.columns()) {
      add(row, column + half, size);
    }
  }

  void add(int row, int column, vp9::BlockSize size) {
    const bool intra = random_.below(8) < drawn_.intra;
    const auto mode = [&] { return static_cast<vp9::PredictionMode>(random_.below(10)); };
    vp9::Block block;
    block.row = static_cast<std::uint16_t>(row);
    block.column = static_cast<std::uint16_t>(column);
    block.size = size;
    block.transform = static_cast<vp9::TransformSize>(
        random_.below(std::uint32_t{vp9::kLargestTransform[size]} + 1));
    block.chroma_transform = vp9::chroma_transform(size, block.transform, header_.subsampling());
    block.uv_mode = mode();
    block.modes.fill(mode());
    if (size < vp9::kBlock8x8) {
      for (vp9::PredictionMode& of_part : block.modes) of_part = mode();
    }
    block.references[0] = intra ? vp9::kIntra : vp9::kLast;
    block.first_transform = transforms_;
    if (intra) {
      vp9::for_each_intra_block(header_, picture_, block,
                                [&](const vp9::IntraBlock& part) { add_transform(part); });
    }
    block.transform_count = transforms_ - block.first_transform;
    for (int y = row; y < std::min(row + vp9::kHeightIn8[size], picture_.rows()); ++y) {
      for (int x = column; x < std::min(column + vp9::kWidthIn8[size], picture_.columns()); ++x) {
        picture_.motion().block_of_unit[picture_.unit(y, x)] = blocks_;
      }
    }
    picture_.blocks[blocks_++] = block;
  }

  void add_transform(const vp9::IntraBlock& block) {
    if (random_.below(2) == 0) return;
    vp9::TransformBlock& transform = picture_.transforms[transforms_++];
    transform = {};
    transform.first_coefficient = coefficients_;
    transform.x = static_cast<std::uint16_t>(block.where.x);
    transform.y = static_cast<std::uint16_t>(block.where.y);
    transform.plane = block.plane;
    transform.size = block.size;
    coefficients_ += 16U << (2 * block.size);
  }

  Drawn drawn_;
  Random random_;
  vp9::FrameHeader header_;
  vp9::PictureData picture_;
  std::vector<int> residual_;
  std::uint32_t blocks_ = 0;
  std::uint32_t transforms_ = 0;
  std::uint32_t coefficients_ = 0;
};

template <class Sample>
void predict_by_definition(const vp9::Dsp<Sample>& dsp, const DrawnFrame& drawn,
                           video::Picture& frame) {
  const vp9::PictureData& picture = drawn.picture();
  const auto predict = [&](const vp9::IntraBlock& block) {
    const auto plane = frame.plane<Sample>(block.plane);
    vp9::predict_intra(dsp, plane, block.where, block.size, block.mode);
    if (block.transform == nullptr) return;
    const int side = 4 << block.size;
    const int* residual = drawn.residual().data() + block.transform->first_coefficient;
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        Sample& sample = plane.row(block.where.y + y)[block.where.x + x];
        sample = static_cast<Sample>(std::clamp(sample + *residual++, 0, (1 << dsp.bits) - 1));
      }
    }
  };
  for (int row = 0; row < picture.superblock_rows(); ++row) {
    for (int column = 0; column < picture.superblock_columns(); ++column) {
      const vp9::Range range = picture.superblock(row, column);
      for (std::uint32_t index = range.begin; index < range.end; ++index) {
        const vp9::Block& block = picture.blocks[index];
        if (!block.is_inter()) {
          vp9::for_each_intra_block(drawn.header(), picture, block, predict);
        }
      }
    }
  }
}

// Returns the number of dispatches: consecutive small waves share one dispatch.
std::size_t dispatches_of(const vp9::IntraScheduler& scheduler) {
  std::size_t count = 0;
  std::uint32_t first = 0;
  bool small_before = false;
  for (const std::uint32_t last : scheduler.wave_ends()) {
    const bool small =
        last - first <= qpu::IntraPrediction::kMaxChained * qpu::shader::kIntraSuperblocks;
    if (!small || !small_before) ++count;
    small_before = small;
    first = last;
  }
  return count;
}

class IntraPredictionQpu : public test::QpuTest, public testing::WithParamInterface<Drawn> {
 protected:
  void SetUp() override {
    QpuTest::SetUp();
    if (device() != nullptr) intra_.emplace(*device(), GetParam().bits);
  }

  // Predicts a random frame on the QPU and replaces `frame` by the result.
  void predict_on_qpu(const DrawnFrame& drawn, video::Picture& frame) {
    const video::PictureFormat format = frame.format();
    const auto picture = device()->create_buffer(frame.bytes().size());
    std::ranges::copy(frame.bytes(), picture->bytes().begin());
    const bool deep = format.pixel.bits > 8;
    const auto residual = device()->create_buffer((drawn.residual().size() + 16) * (deep ? 4 : 2));
    if (deep) {
      std::ranges::copy(drawn.residual(), residual->as<std::int32_t>().begin());
    } else {
      std::ranges::transform(drawn.residual(), residual->as<std::int16_t>().begin(),
                             [](int value) { return static_cast<std::int16_t>(value); });
    }
    vp9::IntraScheduler scheduler;
    scheduler.schedule(drawn.header(), drawn.picture());
    intra_->set_blocks(scheduler, qpu::PicturePlanes::of(format));
    const auto list = device()->create_command_list();
    list->upload({.buffer = picture.get()});
    list->upload({.buffer = residual.get()});
    intra_->record(*list, {.buffer = picture.get()}, {.buffer = residual.get()});
    list->download({.buffer = picture.get()});
    list->finish();
    EXPECT_EQ(list->dispatch_count(), intra_->dispatches());
    EXPECT_EQ(intra_->dispatches(), dispatches_of(scheduler));
    double squares = 0;
    for (const auto& [block, step] : scheduler.blocks()) squares += 1 << (2 * block.size);
    double listed = 0;
    for (const qpu::DispatchWork& work : intra_->work()) listed += work.units;
    EXPECT_EQ(listed, squares);
    EXPECT_EQ(intra_->work().size(), intra_->dispatches());
    device()->submit(*list).wait();
    std::ranges::copy(picture->bytes(), frame.bytes().begin());
  }

  std::optional<qpu::IntraPrediction> intra_;
};

void fill(video::Picture& frame, Random& random) {
  const auto fill_planes = [&]<class Sample>(Sample) {
    for (int index = 0; index < 3; ++index) {
      const auto plane = frame.plane<Sample>(index);
      for (int y = 0; y < plane.height; ++y) {
        for (int x = 0; x < plane.width; ++x) {
          plane.row(y)[x] = static_cast<Sample>(random.below(1U << frame.format().pixel.bits));
        }
      }
    }
  };
  frame.format().pixel.bits == 8 ? fill_planes(std::uint8_t{}) : fill_planes(std::uint16_t{});
}

template <class Sample>
std::string first_difference(const video::Picture& ours, const video::Picture& theirs) {
  for (int index = 0; index < 3; ++index) {
    const auto a = ours.plane<Sample>(index);
    const auto b = theirs.plane<Sample>(index);
    for (int y = 0; y < a.height; ++y) {
      for (int x = 0; x < a.width; ++x) {
        if (a.row(y)[x] == b.row(y)[x]) continue;
        return "plane " + std::to_string(index) + ", x " + std::to_string(x) + ", y " +
               std::to_string(y) + ": " + std::to_string(a.row(y)[x]) + ", not " +
               std::to_string(b.row(y)[x]);
      }
    }
  }
  return "";
}

TEST_P(IntraPredictionQpu, equals_the_definition) {
  for (std::uint64_t seed = kSeed; seed < kSeed + 4; ++seed) {
    SCOPED_TRACE(seed);
    const DrawnFrame drawn(GetParam(), seed);
    Random random(~seed);
    video::Picture ours(drawn.format());
    fill(ours, random);
    video::Picture theirs(drawn.format());
    std::ranges::copy(ours.bytes(), theirs.bytes().begin());
    const auto by_definition = [&](const auto* dsp) { predict_by_definition(*dsp, drawn, theirs); };
    std::visit(by_definition, vp9::scalar_dsp().of(GetParam().bits));
    predict_on_qpu(drawn, ours);
    ASSERT_EQ(GetParam().bits == 8 ? first_difference<std::uint8_t>(ours, theirs)
                                   : first_difference<std::uint16_t>(ours, theirs),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Drawn, IntraPredictionQpu,
    testing::Values(Drawn{"key_frame", 200, 136},
                    Drawn{"small_blocks", 136, 72, 8, video::Chroma::c420, 0, 8, 8},
                    Drawn{"large_blocks", 264, 200, 8, video::Chroma::c420, 0, 8, 2},
                    Drawn{"beside_inter_blocks", 264, 200, 8, video::Chroma::c420, 0, 3, 5},
                    Drawn{"waves_of_many_superblocks", 1000, 584, 8, video::Chroma::c420, 0, 1, 2},
                    Drawn{"two_tile_columns", 584, 72, 8, video::Chroma::c420, 1, 6, 5},
                    Drawn{"odd_size", 67, 75, 8, video::Chroma::c420, 0, 8, 5},
                    Drawn{"no_subsampling", 136, 72, 8, video::Chroma::c444, 0, 8, 5},
                    Drawn{"ten_bits", 200, 136, 10, video::Chroma::c420, 0, 7, 5},
                    Drawn{"twelve_bits_no_subsampling", 72, 136, 12, video::Chroma::c444, 0, 8, 5}),
    [](const auto& drawn) { return drawn.param.name; });

}  // namespace
}  // namespace sidecore::test_intra_prediction_qpu
