// The decoder's kernels as tables of functions: the one seam between what calls a kernel and the
// processor that runs it. Scalar code fills a table, NEON puts its own functions over that
// (neon/vp9/dsp.h), and the decoder picks the table of a stream's bit depth once a stream. A kernel
// without an entry here is called directly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "vp9/intra_prediction.h"
#include "vp9/loop_filter.h"

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
