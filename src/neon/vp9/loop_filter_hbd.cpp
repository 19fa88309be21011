#include "neon/vp9/dsp.h"
#include "neon/vp9/loop_filter_hbd_lines.h"
#include "neon/vp9/loop_filter_hbd_memory.h"
#include "vp9/bit_depth.h"

namespace sidecore::neon {
namespace {

using vp9::EdgeDirection;
using vp9::LoopFilterKind;
using vp9::LoopFilterLimits;

template <LoopFilterKind kind, int bits>
void filter_one(std::uint16_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) {
  constexpr int kWidth = vp9::width_of(kind);
  const hbd::LaneLimits lanes(limits, bits);
  if constexpr (vp9::direction_of(kind) == EdgeDirection::vertical) {
    hbd::store_rows(q0, stride, hbd::filter(hbd::load_rows<kWidth>(q0, stride), lanes));
  } else {
    hbd::store_columns(q0, stride, hbd::filter(hbd::load_columns<kWidth>(q0, stride), lanes));
  }
}

// Two edges are filtered one after the other, because one edge fills the lanes.
template <LoopFilterKind kind, int bits>
void filter_two(std::uint16_t* q0_a, std::uint16_t* q0_b, std::ptrdiff_t stride,
                const LoopFilterLimits& a, const LoopFilterLimits& b) {
  filter_one<kind, bits>(q0_a, stride, a);
  filter_one<kind, bits>(q0_b, stride, b);
}

template <int bits>
void add_all_kinds(vp9::Dsp<std::uint16_t>& dsp) {
  vp9::for_each_loop_filter_kind([&dsp]<LoopFilterKind kind>() {
    dsp.loop_filter(kind) = {filter_one<kind, bits>, filter_two<kind, bits>};
  });
}

}  // namespace

void add_loop_filter(vp9::Dsp<std::uint16_t>& dsp) {
  vp9::for_high_bit_depth(dsp.bits, [&dsp]<int bits>() { add_all_kinds<bits>(dsp); });
}

}  // namespace sidecore::neon
