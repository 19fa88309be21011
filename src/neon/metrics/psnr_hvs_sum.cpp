// The ordered sum of psnr_hvs, 16 blocks at a time. While a sum stays in one binade, every addition
// moves it by a whole number of units in its last place. That number depends on the sum only by its
// parity, which decides ties. So a block's effect can be found without the sum: add its terms to
// the binade's first number and to the number after it, and count by how many units each of the two
// moved. Only a block in which the sum leaves its binade must be added term by term.
#include <array>
#include <bit>
#include <cstdint>

#include "neon/metrics/psnr_hvs.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using RunTerms = std::span<const float, kHvsRunTerms>;

constexpr std::uint32_t kMantissa = 0x007fffff;

/// Units in the last place by which the terms of each block move a sum, for either parity.
struct Steps {
  std::array<std::uint32_t, kHvsRunBlocks> even;
  std::array<std::uint32_t, kHvsRunBlocks> odd;
};

// Returns the steps for the binade whose smallest number has the bits `start`. Bits of positive
// numbers, read as integers, keep their order, so the difference of two such integers is the number
// of units between them.
Steps find_steps(RunTerms terms, std::uint32_t start) {
  std::array<float32x4_t, 4> even;
  std::array<float32x4_t, 4> odd;
  even.fill(vreinterpretq_f32_u32(vdupq_n_u32(start)));
  odd.fill(vreinterpretq_f32_u32(vdupq_n_u32(start + 1)));
  for (std::size_t i = 0; i < metrics::kHvsTerms; ++i) {
    for (std::size_t part = 0; part < 4; ++part) {
      const float32x4_t term = vld1q_f32(&terms[i * kHvsRunBlocks + part * 4]);
      even[part] = vaddq_f32(even[part], term);
      odd[part] = vaddq_f32(odd[part], term);
    }
  }
  Steps steps;
  for (std::size_t part = 0; part < 4; ++part) {
    const auto count = [](float32x4_t sum, std::uint32_t from) {
      return vsubq_u32(vreinterpretq_u32_f32(sum), vdupq_n_u32(from));
    };
    vst1q_u32(&steps.even[part * 4], count(even[part], start));
    vst1q_u32(&steps.odd[part * 4], count(odd[part], start + 1));
  }
  return steps;
}

float add_block(float sum, RunTerms terms, std::size_t block) {
  for (std::size_t i = 0; i < metrics::kHvsTerms; ++i) sum += terms[i * kHvsRunBlocks + block];
  return sum;
}

float add_run(float sum, RunTerms terms) {
  std::size_t block = 0;
  while (block < kHvsRunBlocks) {
    // The loop handles a sum of 0 separately, because 0 is in no binade.
    while (sum == 0 && block < kHvsRunBlocks) sum = add_block(sum, terms, block++);
    if (block == kHvsRunBlocks) break;
    auto bits = std::bit_cast<std::uint32_t>(sum);
    const std::uint32_t start = bits & ~kMantissa;
    // `end` holds the bits of the first number of the next binade, to which sums may still count in
    // units of this binade.
    const std::uint32_t end = start + kMantissa + 1;
    const Steps steps = find_steps(terms, start);
    for (; block < kHvsRunBlocks; ++block) {
      const std::uint32_t step = (bits & 1U) != 0 ? steps.odd[block] : steps.even[block];
      if (step > end - bits) break;
      bits += step;
    }
    sum = std::bit_cast<float>(bits);
    if (block < kHvsRunBlocks) sum = add_block(sum, terms, block++);
  }
  return sum;
}

}  // namespace

float hvs_add_in_order(float sum, std::span<const float> terms) {
  for (std::size_t run = 0; run < terms.size(); run += kHvsRunTerms) {
    sum = add_run(sum, RunTerms(terms.subspan(run, kHvsRunTerms)));
  }
  return sum;
}

}  // namespace sidecore::neon
