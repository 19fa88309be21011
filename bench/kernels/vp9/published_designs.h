// Published designs of VP9's inverse DCT and prediction for a V3D, and sidecore's designs, each on
// blocks of one kind. `sidecore shaderdb` has a row for each. The timing model is calibrated with
// the published designs. No decoder runs the published designs; their shaders are in
// shaders/vp9/baselines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "shaderdb/measure.h"
#include "vp9/inter_prediction.h"

namespace sidecore::bench {

/// A finished command list and its samples. In unified memory the list makes no copies.
struct RecordedBlocks {
  std::unique_ptr<qpu::CommandList> list;
  std::shared_ptr<qpu::Buffer> samples;
};

/// 8x8 transform blocks side by side in a plane of bytes. Each has all 64 coefficients, small
/// enough for narrow arithmetic (vp9::TransformBlock::kNarrowSum).
struct DctBlocks {
  static constexpr std::uint32_t kColumns = 64;  ///< number of blocks per row of the plane
  static constexpr std::uint32_t kRows = 16;
  static constexpr std::uint32_t kCount = kColumns * kRows;
  static constexpr std::uint32_t kStride = kColumns * 8;

  std::vector<std::int16_t> coefficients;  ///< coefficients, 64 per block, in row order
  std::vector<std::uint8_t> samples;

  [[nodiscard]] static DctBlocks drawn(std::uint64_t seed);
};

/// Records the addition of the blocks' residuals to the samples. record_published_dct() uses the
/// published shader, which transforms columns first, with `workgroup` invocations per workgroup.
/// record_dct() uses the decoder's shader, which transforms rows first, as VP9 does.
[[nodiscard]] RecordedBlocks record_published_dct(qpu::Device& device, const DctBlocks& blocks,
                                                  std::uint32_t workgroup);
[[nodiscard]] RecordedBlocks record_dct(qpu::Device& device, const DctBlocks& blocks);

/// Directions in which a block's motion vector has a fraction of a sample.
struct PredictionDirections {
  bool x = true;
  bool y = false;
};

/// Consecutive windows of 8 rows of 16 bytes, from which blocks of 8x8 samples are predicted. With
/// a fraction along x, the block starts at the fourth sample of its window; with a fraction along
/// y, at the fourth row. A block along y also reads the next window, so there is one window more
/// than blocks.
struct PredictionBlocks {
  static constexpr std::uint32_t kCount = 1024;
  static constexpr std::size_t kWindowStride = 16;
  static constexpr std::size_t kWindowRows = (kCount + 1) * 8;

  std::vector<std::uint8_t> windows;
  /// Fraction of each block in 16ths of a sample, 1 to 15; for the regular filter.
  std::vector<std::uint8_t> fractions;

  [[nodiscard]] static PredictionBlocks drawn(std::uint64_t seed);
};

/// Records the prediction of the blocks. The published shader (only along x) writes 64 samples per
/// block; sidecore's shader writes the first 8 samples of each row, with rows kWindowStride apart.
[[nodiscard]] RecordedBlocks record_published_prediction(qpu::Device& device,
                                                         const PredictionBlocks& blocks);
[[nodiscard]] RecordedBlocks record_prediction(qpu::Device& device, const PredictionBlocks& blocks,
                                               const PredictionDirections& directions);
/// Returns the reference area of block `block` for sidecore's shader.
[[nodiscard]] vp9::ReferenceArea area_of(const PredictionBlocks& blocks, std::size_t block,
                                         const PredictionDirections& directions);

/// Returns all designs of this file, for the shader database.
[[nodiscard]] std::vector<shaderdb::Design> published_designs();

}  // namespace sidecore::bench
