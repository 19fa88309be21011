// Compares the QPU's inverse transforms of all sizes and types with the scalar definition, on
// content that valid and damaged streams may have. Runs on the default device with the validation
// layer and V3D's limits.
// ctest: long
// 10 and 12 bits take the same code paths as 8 bits, so sanitizers skip them.
// ctest: unsanitized *At10Bits:*At12Bits
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "qpu/qpu_test_device.h"
#include "qpu/vp9/inverse_transform.h"
#include "video/picture.h"
#include "vp9/inverse_transform.h"

namespace sidecore::test_inverse_transform_qpu {
namespace {

using qpu::ResidualUse;
using vp9::TransformBlock;

constexpr std::uint64_t kSeed = 20261201;

/// Content of the first rows and columns of a block's coefficients.
enum class Content {
  sparse,    ///< values are small, most of them zero
  narrow,    ///< values are as large as blocks with narrow coefficients allow
  one,       ///< only the first coefficient is nonzero
  any,       ///< values have arbitrary bits of the type
  extremes,  ///< each value is the smallest or largest of the type, or zero
};
constexpr Content kContents[] = {Content::sparse, Content::narrow, Content::one, Content::any,
                                 Content::extremes};

// A frame full of transform blocks in a device buffer, surrounded by guards.
template <class Sample, class Coefficient>
class BlockFrame {
 public:
  BlockFrame(qpu::Device& device, int bits, Content content)
      : BlockFrame(device, bits, content, {256, 192, {video::Chroma::c420, bits}}) {
    for (int plane = 0; plane < 3; ++plane) fill_plane(plane, content);
  }

  /// Makes a frame whose blocks of each size with corner shaders have nonzero coefficients only in
  /// a corner. Each size covers a quarter of luma.
  static BlockFrame of_corners(qpu::Device& device, int bits, Content content, int side) {
    BlockFrame frame(device, bits, content, {side, side, {video::Chroma::c420, bits}});
    frame.fill_corners(content);
    return frame;
  }

  /// Compares the result with the scalar definition. Returns the names of the shaders of all
  /// dispatches.
  std::vector<std::string> expect_definition(
      std::uint32_t most_workgroups = std::numeric_limits<std::uint32_t>::max()) {
    const auto bytes = buffer_->bytes();
    std::vector<std::byte> expected(bytes.begin(), bytes.end());
    std::vector<std::vector<Sample>> residuals;
    for (std::size_t index = 0; index < blocks_.size(); ++index) {
      const TransformBlock& block = blocks_[index];
      if (uses_[index] == ResidualUse::store) continue;
      const auto& plane = planes_.planes[block.plane];
      auto* const samples =
          reinterpret_cast<Sample*>(expected.data() + plane.offset + block.y * plane.stride) +
          block.x;
      vp9::add_residual(block, coefficients_.data() + block.first_coefficient, samples,
                        static_cast<std::ptrdiff_t>(plane.stride / sizeof(Sample)), bits_);
    }
    qpu::InverseTransform transform(device_, bits_, qpu::InverseTransform::kMinCornerLanes,
                                    most_workgroups);
    transform.set_blocks<Coefficient>(blocks_, uses_, coefficients_);
    const auto list = device_.create_command_list();
    list->upload({.buffer = buffer_.get()});
    transform.record(*list, *buffer_, planes_);
    EXPECT_EQ(list->dispatch_count(), transform.dispatches());
    const std::vector<qpu::DispatchWork> work = transform.work();
    EXPECT_EQ(work.size(), transform.dispatches());
    EXPECT_EQ(std::accumulate(work.begin(), work.end(), 0.0,
                              [](double sum, const auto& of) { return sum + of.units; }),
              static_cast<double>(blocks_.size()));
    list->download({.buffer = buffer_.get()});
    list->download({.buffer = transform.residuals().get()});
    list->finish();
    device_.submit(*list).wait();
    expect_frame(expected);
    expect_residuals(*transform.residuals());
    std::vector<std::string> names;
    for (const auto& program : list->dispatched()) names.emplace_back(program->name());
    return names;
  }

 private:
  static constexpr std::size_t kGuard = 256;

  BlockFrame(qpu::Device& device, int bits, Content content, const video::PictureFormat& format)
      : bits_(bits),
        random_(kSeed + static_cast<std::uint64_t>(content)),
        format_(format),
        planes_(qpu::PicturePlanes::of(format_)),
        device_(device) {
    for (auto& plane : planes_.planes) plane.offset += kGuard;
    const std::size_t bytes = video::PictureLayout(format_).bytes + 2 * kGuard;
    buffer_ = device.create_buffer(bytes);
    for (std::byte& byte : buffer_->bytes()) byte = static_cast<std::byte>(random_());
    const auto most = static_cast<unsigned>((1 << bits) - 1);
    for (Sample& sample : buffer_->template as<Sample>()) {
      const unsigned which = random_.below(4);
      sample = static_cast<Sample>(which == 0 ? 0 : which == 1 ? most : sample & most);
    }
  }

  unsigned below(unsigned bound) { return random_.below(bound); }

  void fill_plane(int plane, Content content) {
    const int width = format_.plane_width(plane);
    const int height = format_.plane_height(plane);
    for (int y = 0; y < height; y += 32) {
      for (int x = 0; x < width; x += 32) {
        const auto size = static_cast<vp9::TransformSize>(below(vp9::kTransformSizes));
        const int step = 4 << size;
        for (int row = y; row < y + 32; row += step) {
          for (int column = x; column < x + 32; column += step) {
            if (below(8) != 0) add_block(plane, size, column, row, content);
          }
        }
      }
    }
  }

  void fill_corners(Content content) {
    const int half = format_.width / 2;
    int quarter = 0;
    for (const auto size : {vp9::kTransform8x8, vp9::kTransform16x16, vp9::kTransform32x32}) {
      const int x = quarter % 2 * half;
      const int y = quarter / 2 * half;
      const int step = 4 << size;
      const unsigned corner = size == vp9::kTransform8x8 ? 4 : 8;
      for (int at = 0; at < half / step * (half / step); ++at) {
        TransformBlock block =
            placed(0, size, x + at % (half / step) * step, y + at / (half / step) * step);
        const std::uint64_t sum = fill(block, content, corner, corner);
        block.narrow = sum <= TransformBlock::kNarrowSum;
        add(block);
      }
      ++quarter;
    }
  }

  TransformBlock placed(int plane, vp9::TransformSize size, int x, int y) {
    TransformBlock block;
    block.first_coefficient = static_cast<std::uint32_t>(coefficients_.size());
    block.x = static_cast<std::uint16_t>(x);
    block.y = static_cast<std::uint16_t>(y);
    block.plane = static_cast<std::uint8_t>(plane);
    block.size = size;
    coefficients_.resize(coefficients_.size() + (std::size_t{16} << (2 * size)), Coefficient{0});
    return block;
  }

  // Fills a block's coefficients and returns the sum of their magnitudes.
  std::uint64_t fill(TransformBlock& block, Content content, unsigned rows, unsigned columns) {
    const unsigned side = 4U << block.size;
    std::uint64_t sum = 0;
    for (unsigned row = 0; row < rows; ++row) {
      for (unsigned column = 0; column < columns; ++column) {
        const Coefficient value = draw(content, rows * columns);
        coefficients_[block.first_coefficient + row * side + column] = value;
        const std::int64_t wide = value;
        sum += static_cast<std::uint64_t>(wide < 0 ? -wide : wide);
      }
    }
    block.rows = static_cast<std::uint8_t>(rows);
    block.columns = static_cast<std::uint8_t>(columns);
    block.end = static_cast<std::uint16_t>(content == Content::one ? 1 : rows * columns + 1);
    return sum;
  }

  void add(const TransformBlock& block) {
    blocks_.push_back(block);
    uses_.push_back(below(3) == 0 ? ResidualUse::store : ResidualUse::add);
  }

  void add_block(int plane, vp9::TransformSize size, int x, int y, Content content) {
    TransformBlock block = placed(plane, size, x, y);
    const unsigned side = 4U << size;
    const unsigned types = size == vp9::kTransform32x32 ? 1 : size == vp9::kTransform4x4 ? 5 : 4;
    block.type = static_cast<vp9::TransformType>(below(types));
    const auto extent = [&] { return 1 + below(below(2) == 0 ? side : std::max(1U, side / 4)); };
    const unsigned rows = content == Content::one ? 1 : extent();
    const unsigned columns = content == Content::one ? 1 : extent();
    const std::uint64_t sum = fill(block, content, rows, columns);
    block.narrow = sum <= TransformBlock::kNarrowSum && below(8) != 0;
    add(block);
  }

  Coefficient draw(Content content, unsigned count) {
    constexpr auto kMin = std::numeric_limits<Coefficient>::min();
    constexpr auto kMax = std::numeric_limits<Coefficient>::max();
    switch (content) {
      case Content::sparse:
        return static_cast<Coefficient>(below(4) == 0 ? static_cast<int>(below(41)) - 20 : 0);
      case Content::narrow: {
        const auto most = static_cast<int>(TransformBlock::kNarrowSum / count);
        return static_cast<Coefficient>(below(2) == 0 ? most : -most);
      }
      case Content::one:
        return static_cast<Coefficient>(static_cast<int>(below(44001)) - 22000);
      case Content::any:
        return static_cast<Coefficient>(random_() >> below(sizeof(Coefficient) * 8));
      default:
        return below(3) == 0 ? kMin : below(2) == 0 ? kMax : Coefficient{0};
    }
  }

  void expect_frame(const std::vector<std::byte>& expected) {
    const auto found = buffer_->bytes();
    const auto [ours, theirs] = std::ranges::mismatch(found, expected);
    if (ours == found.end()) return;
    const auto offset = static_cast<std::size_t>(ours - found.begin());
    std::string where = "byte " + std::to_string(offset);
    for (const TransformBlock& block : blocks_) {
      const auto& plane = planes_.planes[block.plane];
      if (offset < plane.offset) continue;
      const std::size_t y = (offset - plane.offset) / plane.stride;
      const std::size_t x = (offset - plane.offset) % plane.stride / sizeof(Sample);
      const std::size_t side = std::size_t{4} << block.size;
      if (y >= block.y && y < block.y + side && x >= block.x && x < block.x + side) {
        where += ", " + text(block) + ", row " + std::to_string(y - block.y) + ", column " +
                 std::to_string(x - block.x);
      }
    }
    ADD_FAILURE() << where << ": " << static_cast<int>(*ours) << ", expected "
                  << static_cast<int>(*theirs);
  }

  // Expects that a stored residual, added to any samples, gives the result of the scalar
  // definition.
  void expect_residuals(qpu::Buffer& buffer) {
    const auto found = buffer.as<Coefficient>();
    for (std::size_t index = 0; index < blocks_.size(); ++index) {
      const TransformBlock& block = blocks_[index];
      if (uses_[index] == ResidualUse::add) continue;
      const std::size_t side = std::size_t{4} << block.size;
      const int most = (1 << bits_) - 1;
      for (const int before : {0, most / 2, most}) {
        std::vector<Sample> samples(side * side, static_cast<Sample>(before));
        vp9::add_residual(block, coefficients_.data() + block.first_coefficient, samples.data(),
                          static_cast<std::ptrdiff_t>(side), bits_);
        for (std::size_t at = 0; at < samples.size(); ++at) {
          const int residual = found[block.first_coefficient + at];
          ASSERT_GE(residual, -0x8000);
          ASSERT_LE(residual, 0x7fff);
          ASSERT_EQ(samples[at], std::clamp(before + residual, 0, most))
              << text(block) << ", residual " << at;
        }
      }
    }
  }

  static std::string text(const TransformBlock& block) {
    return "size " + std::to_string(4 << block.size) + ", type " + std::to_string(block.type) +
           ", rows " + std::to_string(block.rows) + ", columns " + std::to_string(block.columns) +
           (block.narrow ? ", narrow" : "") + ", plane " + std::to_string(block.plane);
  }

  int bits_;
  Random random_;
  video::PictureFormat format_;
  qpu::PicturePlanes planes_;
  qpu::Device& device_;
  std::shared_ptr<qpu::Buffer> buffer_;
  std::vector<TransformBlock> blocks_;
  std::vector<ResidualUse> uses_;
  std::vector<Coefficient> coefficients_;
};

using InverseTransformQpu = test::QpuTest;

TEST_F(InverseTransformQpu, IsTheDefinitionAt8Bits) {
  for (const Content content : kContents) {
    SCOPED_TRACE(static_cast<int>(content));
    BlockFrame<std::uint8_t, std::int16_t>(*device(), 8, content).expect_definition();
  }
}

TEST_F(InverseTransformQpu, IsTheDefinitionAt10Bits) {
  for (const Content content : kContents) {
    SCOPED_TRACE(static_cast<int>(content));
    BlockFrame<std::uint16_t, std::int32_t>(*device(), 10, content).expect_definition();
  }
}

TEST_F(InverseTransformQpu, IsTheDefinitionAt12Bits) {
  for (const Content content : {Content::narrow, Content::extremes}) {
    SCOPED_TRACE(static_cast<int>(content));
    BlockFrame<std::uint16_t, std::int32_t>(*device(), 12, content).expect_definition();
  }
}

std::size_t corners_of(const std::vector<std::string>& names) {
  return static_cast<std::size_t>(std::ranges::count_if(
      names, [](const std::string& name) { return name.find("corner") != std::string::npos; }));
}

// Many corner blocks have separate programs: 8x8, and each pass of the two larger sizes. Few corner
// blocks share a dispatch with other DCTs.
TEST_F(InverseTransformQpu, IsTheDefinitionOfCorners) {
  for (const Content content : {Content::narrow, Content::any}) {
    SCOPED_TRACE(static_cast<int>(content));
    using Bytes = BlockFrame<std::uint8_t, std::int16_t>;
    const auto many = Bytes::of_corners(*device(), 8, content, 768).expect_definition();
    EXPECT_EQ(corners_of(many), 5) << many.size();
    const auto few = Bytes::of_corners(*device(), 8, content, 128).expect_definition();
    EXPECT_EQ(corners_of(few), 0) << few.size();
  }
}

TEST_F(InverseTransformQpu, IsTheDefinitionOfCornersAt10Bits) {
  using Deep = BlockFrame<std::uint16_t, std::int32_t>;
  const auto many = Deep::of_corners(*device(), 10, Content::narrow, 768).expect_definition();
  EXPECT_EQ(corners_of(many), 5) << many.size();
}

TEST_F(InverseTransformQpu, IsTheDefinitionInDispatchesOfAFewWorkgroups) {
  using Bytes = BlockFrame<std::uint8_t, std::int16_t>;
  const auto whole = Bytes(*device(), 8, Content::narrow).expect_definition();
  const auto divided = Bytes(*device(), 8, Content::narrow).expect_definition(1);
  EXPECT_GT(divided.size(), whole.size());
}

TEST_F(InverseTransformQpu, RecordsNothingForNoBlocks) {
  qpu::InverseTransform transform(*device(), 8);
  transform.set_blocks<std::int16_t>({}, {}, {});
  const auto list = device()->create_command_list();
  const auto frame = device()->create_buffer(4096);
  transform.record(*list, *frame, {});
  EXPECT_EQ(list->dispatch_count(), 0);
  EXPECT_EQ(transform.dispatches(), 0);
}

TEST_F(InverseTransformQpu, RefusesDepthsThatVp9DoesNotHave) {
  EXPECT_THROW(qpu::InverseTransform(*device(), 9), Error);
}

TEST_F(InverseTransformQpu, RefusesPlanesThatNoVectorsFit) {
  qpu::InverseTransform transform(*device(), 8);
  const std::vector<TransformBlock> blocks(1);
  const std::vector<ResidualUse> uses{ResidualUse::add};
  const std::vector<std::int16_t> coefficients(16, 1);
  transform.set_blocks<std::int16_t>(blocks, uses, coefficients);
  const auto list = device()->create_command_list();
  const auto frame = device()->create_buffer(4096);
  qpu::PicturePlanes planes;
  planes.planes[0] = {.offset = 0, .stride = 24, .rows = 8};
  EXPECT_THROW(transform.record(*list, *frame, planes), Error);
}

}  // namespace
}  // namespace sidecore::test_inverse_transform_qpu
