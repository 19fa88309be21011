#include "neon/vp9/dsp.h"
#include "neon/vp9/inverse_transform_blocks.h"

namespace sidecore::neon {
namespace {

using vp9::TransformBlock;
using namespace inverse_transform;

template <int N, bool sine_rows, bool sine_columns>
void add_residual(const TransformBlock& block, const std::int16_t* coefficients,
                  std::uint8_t* samples, std::ptrdiff_t stride) {
  if (!sine_rows && !sine_columns && block.end == 1) {
    add_dc<8, N>(coefficients, samples, stride);
  } else if (N == 4 || block.narrow) {
    add_on_16_bits<8, true, N, sine_rows, sine_columns>(block, coefficients, samples, stride);
  } else {
    add_on_16_bits<8, false, N, sine_rows, sine_columns>(block, coefficients, samples, stride);
  }
}

void add_walsh_hadamard(const TransformBlock& block, const std::int16_t* coefficients,
                        std::uint8_t* samples, std::ptrdiff_t stride) {
  block.narrow ? add_walsh_hadamard_16<8, true>(coefficients, samples, stride)
               : add_walsh_hadamard_16<8, false>(coefficients, samples, stride);
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
