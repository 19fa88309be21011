// Tests that the published designs shown by `sidecore shaderdb` compute the same results as
// sidecore's shaders. Runs on the default device with the validation layer and V3D's limits.
// ctest: long
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "kernels/vp9/published_designs.h"
#include "qpu/qpu_test_device.h"
#include "vp9/dsp.h"
#include "vp9/inter_prediction.h"
#include "vp9/inverse_transform.h"

namespace sidecore::test_published_designs_qpu {
namespace {

using bench::DctBlocks;
using bench::PredictionBlocks;

constexpr std::uint64_t kSeed = 20261123;

std::vector<std::uint8_t> run(qpu::Device& device, const bench::RecordedBlocks& blocks) {
  device.submit(*blocks.list).wait();
  const auto samples = blocks.samples->as<std::uint8_t>();
  return {samples.begin(), samples.end()};
}

// Transforming columns before rows equals transforming rows before columns of the transposed block.
std::vector<std::uint8_t> added_by_definition(const DctBlocks& blocks, bool turned) {
  std::vector<std::uint8_t> samples = blocks.samples;
  vp9::TransformBlock kind;
  kind.rows = kind.columns = 8;
  kind.end = 64;
  kind.narrow = true;
  kind.size = vp9::kTransform8x8;
  for (std::size_t block = 0; block < DctBlocks::kCount; ++block) {
    std::uint8_t* const at = samples.data() + block / DctBlocks::kColumns * 8 * DctBlocks::kStride +
                             block % DctBlocks::kColumns * 8;
    std::array<std::int16_t, 64> coefficients{};
    std::array<std::uint8_t, 64> square{};
    const auto place = [&](std::size_t index) {
      return turned ? index % 8 * 8 + index / 8 : index;
    };
    for (std::size_t index = 0; index < 64; ++index) {
      coefficients[place(index)] = blocks.coefficients[block * 64 + index];
      square[place(index)] = at[index / 8 * DctBlocks::kStride + index % 8];
    }
    vp9::add_residual(kind, coefficients.data(), square.data(), 8, 8);
    for (std::size_t index = 0; index < 64; ++index) {
      at[index / 8 * DctBlocks::kStride + index % 8] = square[place(index)];
    }
  }
  return samples;
}

class PublishedDesignsQpu : public test::QpuTest {};

TEST_F(PublishedDesignsQpu, transform_as_the_definition_does) {
  const DctBlocks blocks = DctBlocks::drawn(kSeed);
  const auto expected = added_by_definition(blocks, true);
  for (const std::uint32_t workgroup : {64U, 256U}) {
    EXPECT_TRUE(run(*device(), record_published_dct(*device(), blocks, workgroup)) == expected);
  }
  EXPECT_TRUE(run(*device(), record_dct(*device(), blocks)) == added_by_definition(blocks, false));
}

TEST_F(PublishedDesignsQpu, predict_as_our_strips_do) {
  const PredictionBlocks blocks = PredictionBlocks::drawn(kSeed);
  const auto published = run(*device(), record_published_prediction(*device(), blocks));
  const auto ours = run(*device(), record_prediction(*device(), blocks, {true, false}));
  std::vector<std::uint8_t> together;
  together.reserve(published.size());
  for (std::size_t row = 0; row < std::size_t{PredictionBlocks::kCount} * 8; ++row) {
    const auto begin = ours.begin() + static_cast<std::ptrdiff_t>(row * 16);
    together.insert(together.end(), begin, begin + 8);
  }
  EXPECT_TRUE(published == together);
}

TEST_F(PublishedDesignsQpu, our_strips_predict_as_the_definition_does) {
  const PredictionBlocks blocks = PredictionBlocks::drawn(kSeed);
  constexpr auto kStride = PredictionBlocks::kWindowStride;
  const video::PlaneView<const std::uint8_t> windows{
      blocks.windows.data(), static_cast<int>(kStride),
      static_cast<int>(PredictionBlocks::kWindowRows), kStride};
  for (const bench::PredictionDirections& directions :
       {bench::PredictionDirections{true, false}, {false, true}, {true, true}}) {
    const auto ours = run(*device(), record_prediction(*device(), blocks, directions));
    for (std::size_t block = 0; block < PredictionBlocks::kCount; ++block) {
      std::array<std::uint8_t, 64> expected{};
      vp9::predict_inter<std::uint8_t>(*std::get<0>(vp9::scalar_dsp().of(8)), windows,
                                       area_of(blocks, block, directions), vp9::kEightTap, false,
                                       expected.data(), 8);
      for (std::size_t row = 0; row < 8; ++row) {
        const auto* const predicted = ours.data() + (block * 8 + row) * kStride;
        ASSERT_TRUE(std::equal(predicted, predicted + 8, expected.data() + row * 8))
            << "block " << block << ", row " << row;
      }
    }
  }
}

// Rows of the same kernel must differ in their variants.
TEST(PublishedDesigns, have_variants_of_their_own) {
  std::set<std::string> variants;
  for (const shaderdb::Design& design : bench::published_designs()) {
    EXPECT_GT(design.units, 0U);
    EXPECT_TRUE(variants.insert(design.kernel + "/" + design.variant).second) << design.variant;
  }
  EXPECT_EQ(variants.size(), 7U);
}

}  // namespace
}  // namespace sidecore::test_published_designs_qpu
