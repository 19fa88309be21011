// The decoder's kernels as tables of functions: the one seam between what calls a kernel and the
// processor that runs it. Scalar code fills a table, NEON puts its own functions over that
// (neon/vp9/dsp.h), and the decoder picks the table of a stream's bit depth once a stream. A kernel
// without an entry here is called directly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include "vp9/inter_prediction.h"
#include "vp9/intra_prediction.h"
#include "vp9/loop_filter.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// The kernels for samples of one bit depth. Sample is std::uint8_t for 8 bits and std::uint16_t
/// for 10 and 12, values in the low bits. Strides are in samples; no pointer needs more alignment
/// than its type. Every implementation of an entry gives the same bits.
template <class Sample>
struct Dsp {
  int bits = 8;

  /// Edges of one kind, in place. `q0` points at the first line's first sample right of or below
  /// the boundary; read_reach() samples on each side of each of the 8 lines are read,
  /// write_reach() may change. `limits` are those of 8-bit samples, scaled within.
  struct LoopFilter {
    void (*one)(Sample* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) = nullptr;
    /// Two edges of one plane that touch no common sample, anywhere in it; in pictures mostly ones
    /// that adjoin along their boundary, 16 samples long.
    void (*two)(Sample* q0_a, Sample* q0_b, std::ptrdiff_t stride, const LoopFilterLimits& limits_a,
                const LoopFilterLimits& limits_b) = nullptr;
  };
  /// By LoopFilterKind, of which 3 is none.
  std::array<LoopFilter, 7> loop_filters{};

  [[nodiscard]] LoopFilter& loop_filter(LoopFilterKind kind) {
    return loop_filters[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const LoopFilter& loop_filter(LoopFilterKind kind) const {
    return loop_filters[static_cast<std::size_t>(kind)];
  }

  using Coefficient = std::conditional_t<sizeof(Sample) == 1, std::int16_t, std::int32_t>;
  /// Adds the residual of a transform block to the N x N samples at `samples` and clamps them.
  /// `coefficients` are the block's own, rows of N; what `block` says of them holds, and of the
  /// others no more than zeros may be read. Intermediate values wrap to Coefficient.
  using InverseTransform = void (*)(const TransformBlock& block, const Coefficient* coefficients,
                                    Sample* samples, std::ptrdiff_t stride);
  /// [size][type]; Walsh-Hadamard transforms of 4x4 only, sine transforms up to 16x16.
  std::array<std::array<InverseTransform, kTransformTypes>, kTransformSizes> inverse_transforms{};

  [[nodiscard]] InverseTransform inverse_transform(TransformSize size, TransformType type) const {
    return inverse_transforms[size][type];
  }

  /// By [whether the mean with what is there is taken][InterKind].
  std::array<std::array<InterPredict<Sample>, kInterKinds.size()>, 2> inter{};

  [[nodiscard]] InterPredict<Sample> inter_prediction(bool average, InterKind kind) const {
    return inter[average ? 1 : 0][static_cast<std::size_t>(kind)];
  }

  IntraPredictions<Sample> intra{};
};

/// The table of a stream whose bit depth is known: never null.
using StreamDsp = std::variant<const Dsp<std::uint8_t>*, const Dsp<std::uint16_t>*>;

/// The tables of one implementation, for each bit depth that VP9 has.
struct DspTables {
  std::string_view name;  ///< "scalar", "NEON"
  Dsp<std::uint8_t> bits_8;
  Dsp<std::uint16_t> bits_10;
  Dsp<std::uint16_t> bits_12;

  /// Throws Error (usage) when `bits` is none of 8, 10, 12. Valid as long as this object.
  [[nodiscard]] StreamDsp of(int bits) const;
};

/// The definition of every kernel.
[[nodiscard]] const DspTables& scalar_dsp();

}  // namespace sidecore::vp9
