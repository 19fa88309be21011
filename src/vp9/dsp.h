// Tables of functions for the decoder's kernels: the only interface between code that calls a
// kernel and the processor that runs it. Scalar code fills a table, NEON replaces entries
// (neon/vp9/dsp.h), and the decoder selects the table for a stream's bit depth once per stream. A
// kernel without an entry here is called directly.
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
/// for 10 and 12 bits, with the value in the low bits. Strides are in samples. A pointer needs no
/// more alignment than its type. All implementations of an entry must give the same bits.
template <class Sample>
struct Dsp {
  int bits = 8;

  /// Filters edges of one kind, in place. `q0` points at the first line's first sample right of or
  /// below the boundary. On each side of each of the 8 lines, read_reach() samples are read and
  /// write_reach() samples may change. `limits` are those of 8-bit samples; the kernel scales them
  /// to its bit depth.
  struct LoopFilter {
    void (*one)(Sample* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) = nullptr;
    /// Filters two edges of one plane, at any two places that have no touched sample in common. In
    /// pictures most such pairs adjoin along their boundary and are 16 samples long together.
    void (*two)(Sample* q0_a, Sample* q0_b, std::ptrdiff_t stride, const LoopFilterLimits& limits_a,
                const LoopFilterLimits& limits_b) = nullptr;
  };
  /// Indexed by LoopFilterKind; index 3 is unused.
  std::array<LoopFilter, 7> loop_filters{};

  [[nodiscard]] LoopFilter& loop_filter(LoopFilterKind kind) {
    return loop_filters[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const LoopFilter& loop_filter(LoopFilterKind kind) const {
    return loop_filters[static_cast<std::size_t>(kind)];
  }

  using Coefficient = std::conditional_t<sizeof(Sample) == 1, std::int16_t, std::int32_t>;
  /// Adds the residual of a transform block to the N x N samples at `samples` and clamps the sums.
  /// `coefficients` are the block's own, in rows of N. The kernel may rely on the extents that
  /// `block` states; it may read coefficients outside of them, which are zero. Intermediate values
  /// wrap to Coefficient.
  using InverseTransform = void (*)(const TransformBlock& block, const Coefficient* coefficients,
                                    Sample* samples, std::ptrdiff_t stride);
  /// [size][type]. Walsh-Hadamard transforms exist for 4x4 only, sine transforms up to 16x16.
  std::array<std::array<InverseTransform, kTransformTypes>, kTransformSizes> inverse_transforms{};

  [[nodiscard]] InverseTransform inverse_transform(TransformSize size, TransformType type) const {
    return inverse_transforms[size][type];
  }

  /// Functions for inter prediction: [0: write the prediction; 1: average it with the present
  /// samples][InterKind].
  std::array<std::array<InterPredict<Sample>, kInterKinds.size()>, 2> inter{};

  [[nodiscard]] InterPredict<Sample> inter_prediction(bool average, InterKind kind) const {
    return inter[average ? 1 : 0][static_cast<std::size_t>(kind)];
  }

  IntraPredictions<Sample> intra{};
};

/// The table for a stream whose bit depth is known; never null.
using StreamDsp = std::variant<const Dsp<std::uint8_t>*, const Dsp<std::uint16_t>*>;

/// The tables of one implementation, for each bit depth that VP9 has.
struct DspTables {
  std::string_view name;  ///< for example "scalar" or "NEON"
  Dsp<std::uint8_t> bits_8;
  Dsp<std::uint16_t> bits_10;
  Dsp<std::uint16_t> bits_12;

  /// Returns the table for `bits` of 8, 10 or 12, valid as long as this object. Throws Error
  /// (usage) for any other value.
  [[nodiscard]] StreamDsp of(int bits) const;
};

/// Returns the tables of the scalar definition.
[[nodiscard]] const DspTables& scalar_dsp();

}  // namespace sidecore::vp9
