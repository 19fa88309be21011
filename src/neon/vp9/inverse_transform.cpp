#include "neon/vp9/dsp.h"
#include "neon/vp9/inverse_transform_blocks.h"

namespace sidecore::neon {
namespace {

using vp9::TransformBlock;
using namespace inverse_transform;

constexpr int kLargest = 255;

template <int N, bool sine_rows, bool sine_columns>
void add_residual(const TransformBlock& block, const std::int16_t* coefficients,
                  std::uint8_t* samples, std::ptrdiff_t stride) {
  if (!sine_rows && !sine_columns && block.end == 1) {
    return add_dc<N>(coefficients, samples, stride, kLargest);
  }
  if (block.narrow) {
    return add_on_16_bits<std::uint8_t, true, N, sine_rows, sine_columns>(
        block, coefficients, samples, stride, kLargest);
  }
  add_on_16_bits<std::uint8_t, false, N, sine_rows, sine_columns>(block, coefficients, samples,
                                                                  stride, kLargest);
}

void add_walsh_hadamard(const TransformBlock& /*block*/, const std::int16_t* coefficients,
                        std::uint8_t* samples, std::ptrdiff_t stride) {
  std::array<int16x4_t, 4> t = load_4x4_columns(coefficients);
  for (int16x4_t& value : t) value = vshr_n_s16(value, 2);
  walsh_hadamard<HalfLanes16<false>>(t.data());
  t = transposed_4x4(t.data());
  walsh_hadamard<HalfLanes16<false>>(t.data());
  add_4x4(samples, stride, vcombine_s16(t[0], t[1]), vcombine_s16(t[2], t[3]), kLargest);
}

}  // namespace

void add_inverse_transforms(vp9::Dsp<std::uint8_t>& dsp) {
  for_each_transform(
      [&dsp]<vp9::TransformSize size, bool sine_rows, bool sine_columns>(vp9::TransformType type) {
        dsp.inverse_transforms[size][type] = add_residual<(4 << size), sine_rows, sine_columns>;
      });
  dsp.inverse_transforms[vp9::kTransform4x4][vp9::kWalshHadamard] = add_walsh_hadamard;
}

}  // namespace sidecore::neon
