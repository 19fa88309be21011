#include "metrics/float_psnr.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

constexpr FloatPsnrRange kRanges[] = {
    {8, 255.0, 60.0}, {10, 255.75, 72.0}, {12, 255.9375, 84.0}, {16, 255.99609375, 108.0}};

template <class Sample, class Term>
SquaredErrorSum sum_terms(video::PlaneView<const Sample> reference,
                          video::PlaneView<const Sample> distorted, Term term) {
  assert(reference.width == distorted.width && reference.height == distorted.height);
  SquaredErrorSum sum = 0;
  for (int y = 0; y < reference.height; ++y) {
    const Sample* const a = reference.row(y);
    const Sample* const b = distorted.row(y);
    for (int x = 0; x < reference.width; ++x) {
      const int difference = int{a[x]} - int{b[x]};
      const auto magnitude = static_cast<std::uint32_t>(std::abs(difference));
      sum += term(magnitude * magnitude);
    }
  }
  return sum;
}

std::uint32_t plain(std::uint32_t square) {
  return square;
}

}  // namespace

std::uint32_t round_square_to_binary32(std::uint32_t square) {
  const int excess = static_cast<int>(std::bit_width(square)) - 24;
  if (excess <= 0) return square;
  const std::uint32_t half_unit = 1U << (excess - 1);
  const std::uint32_t odd = (square >> excess) & 1U;
  return ((square + half_unit - 1 + odd) >> excess) << excess;
}

SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint8_t> reference,
                                  video::PlaneView<const std::uint8_t> distorted) {
  return sum_terms(reference, distorted, plain);
}

SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint16_t> reference,
                                  video::PlaneView<const std::uint16_t> distorted, int bits) {
  return bits == 16 ? sum_terms(reference, distorted, round_square_to_binary32)
                    : sum_terms(reference, distorted, plain);
}

std::uint64_t exact_squared_error_sum(video::PlaneView<const std::uint16_t> reference,
                                      video::PlaneView<const std::uint16_t> distorted) {
  return sum_terms(reference, distorted, plain);
}

double float_psnr(SquaredErrorSum sum, int width, int height, int bits) {
  const FloatPsnrRange& range = float_psnr_range(bits);
  // The sum is over squares of unscaled samples; this exact factor scales each sample by
  // 2^-(bits-8).
  const double noise = std::ldexp(static_cast<double>(sum), -2 * (bits - 8)) /
                       (static_cast<double>(width) * static_cast<double>(height));
  const double ratio = range.peak * range.peak / std::max(noise, 1e-10);
  return std::min(10 * std::log10(ratio), range.cap_db);
}

const FloatPsnrRange& float_psnr_range(int bits) {
  for (const FloatPsnrRange& range : kRanges) {
    if (range.bits == bits) return range;
  }
  throw usage_error("float_psnr is defined for 8, 10, 12 and 16 bits a sample, not for {}", bits);
}

void check_float_psnr_depth(int bits) {
  static_cast<void>(float_psnr_range(bits));
}

}  // namespace sidecore::metrics
