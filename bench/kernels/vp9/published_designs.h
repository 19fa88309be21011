// The published ways to put VP9's inverse DCT and prediction on a V3D, and ours, on blocks of one
// kind alone: rows of `sidecore shaderdb`. No decoder runs the former; their shaders are in
// shaders/vp9/baselines, and the timing model is calibrated with them.
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

/// A finished list, and where its samples lie. In unified memory the list needs no copies.
struct RecordedBlocks {
  std::unique_ptr<qpu::CommandList> list;
  std::shared_ptr<qpu::Buffer> samples;
};

/// 8x8 blocks side by side in a plane of bytes, each with all its coefficients, narrow.
struct DctBlocks {
  static constexpr std::uint32_t kColumns = 64;  ///< blocks
  static constexpr std::uint32_t kRows = 16;
  static constexpr std::uint32_t kCount = kColumns * kRows;
  static constexpr std::uint32_t kStride = kColumns * 8;

  std::vector<std::int16_t> coefficients;  ///< 64 a block, in rows
  std::vector<std::uint8_t> samples;

  [[nodiscard]] static DctBlocks drawn(std::uint64_t seed);
};

/// Adds the blocks' residuals to the samples: as published, with so many invocations a workgroup;
/// and as the decoder does. The published shader transforms columns first, where VP9 transforms
/// rows.
[[nodiscard]] RecordedBlocks record_published_dct(qpu::Device& device, const DctBlocks& blocks,
                                                  std::uint32_t workgroup);
[[nodiscard]] RecordedBlocks record_dct(qpu::Device& device, const DctBlocks& blocks);

/// Which way a block's vector has a fraction of a sample.
struct PredictionDirections {
  bool x = true;
  bool y = false;
};

/// Windows of 8 rows of 16 bytes, one after the other, from which 8x8 samples are predicted: the
/// sample behind a window's third begins the block along x, the row behind its third along y. A
/// block along y reaches into the next window, of which there is one more than blocks.
struct PredictionBlocks {
  static constexpr std::uint32_t kCount = 1024;
  static constexpr std::size_t kWindowStride = 16;
  static constexpr std::size_t kWindowRows = (kCount + 1) * 8;

  std::vector<std::uint8_t> windows;
  std::vector<std::uint8_t> fractions;  ///< a block's 16ths, 1 to 15; of the regular filter

  [[nodiscard]] static PredictionBlocks drawn(std::uint64_t seed);
};

/// Samples are 64 a block as published, which is along x; of ours the first 8 of each of its rows,
/// which are kWindowStride apart.
[[nodiscard]] RecordedBlocks record_published_prediction(qpu::Device& device,
                                                         const PredictionBlocks& blocks);
[[nodiscard]] RecordedBlocks record_prediction(qpu::Device& device, const PredictionBlocks& blocks,
                                               const PredictionDirections& directions);
/// What the latter predicts block `block` from.
[[nodiscard]] vp9::ReferenceArea area_of(const PredictionBlocks& blocks, std::size_t block,
                                         const PredictionDirections& directions);

/// All of these, for the table.
[[nodiscard]] std::vector<shaderdb::Design> published_designs();

}  // namespace sidecore::bench
