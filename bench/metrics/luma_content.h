// Sample content for the metrics: reference and distorted luma rows.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "gates/kernel.h"

namespace sidecore::bench {

/// Fills row `y` of both planes with 8-bit samples.
///   random         two independent noises: large differences of every size;
///   smooth         gradients that differ by at most 2;
///   flat           constants within 1;
///   high_variance  samples at the ends of the range, so that sums reach their bound.
/// `content` must not be Content::input.
void fill_rows(gates::Content content, int y, std::span<std::uint8_t> reference,
               std::span<std::uint8_t> distorted, Random& random);

/// A distortion of `reference` by -3..3, within 0..max_value.
[[nodiscard]] int distort(int reference, int max_value, Random& random);

}  // namespace sidecore::bench
