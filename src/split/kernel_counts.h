// Which kernels the decoder calls for a frame, and how often: what a model of another CPU
// multiplies with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "split/stream.h"
#include "split/timed_decoder.h"
#include "split/trial.h"
#include "vp9/dsp.h"

namespace sidecore::split {

/// Which coefficients of a transform block are present: the first alone, those of so many first
/// rows and columns, all, or all and large ones (vp9::TransformBlock::narrow).
enum class CoefficientInput : std::uint8_t { first, within_4, within_8, within_16, all, large };
inline constexpr std::size_t kCoefficientInputs = 6;

/// Calls of the decoder's tables for one frame.
struct KernelCounts {
  static constexpr std::size_t kInterSizes = 5;  ///< widths of 4, 8, 16, 32, 64
  /// [average][InterKind][width]: blocks, counted as squares of their width.
  std::array<std::array<std::array<double, kInterSizes>, vp9::kInterKinds.size()>, 2> inter{};
  /// [mode or DcPredictor][size]
  std::array<std::array<double, vp9::kTransformSizes>, vp9::kIntraPredictors> intra{};
  /// [size][type][CoefficientInput]
  std::array<std::array<std::array<double, kCoefficientInputs>, vp9::kTransformTypes>,
             vp9::kTransformSizes>
      transforms{};
  EdgeCounts edges{};
  double prediction_calls = 0;  ///< of inter and intra predictions
  double transform_calls = 0;
};

struct CountedFrame {
  KernelCounts counts;
  EdgeMix mix;
};

/// Decodes the sample once, on one thread, with tables that count; as many as it has frames. Throws
/// Error (usage) that names the stream when it is damaged.
[[nodiscard]] std::vector<CountedFrame> count_sample(const Stream& stream, std::size_t least_edges);

}  // namespace sidecore::split
