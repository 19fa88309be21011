#include "bench/metrics/luma_content.h"

#include <algorithm>
#include <cassert>

namespace sidecore::bench {
namespace {

using gates::Content;

std::uint8_t sample(std::uint32_t value) {
  return static_cast<std::uint8_t>(value & 0xffU);
}

}  // namespace

void fill_rows(Content content, int y, std::span<std::uint8_t> reference,
               std::span<std::uint8_t> distorted, Random& random) {
  assert(content != Content::input);
  for (std::size_t x = 0; x < reference.size(); ++x) {
    switch (content) {
      case Content::smooth: {
        const auto ramp = static_cast<std::uint32_t>(x) / 8 + static_cast<std::uint32_t>(y) / 4;
        reference[x] = sample(ramp % 250);
        distorted[x] = sample(ramp % 250 + random.below(3));
        break;
      }
      case Content::flat:
        reference[x] = sample(128);
        distorted[x] = sample(128 + random.below(2));
        break;
      case Content::high_variance:
        reference[x] = random.below(2) == 0 ? 0 : 255;
        distorted[x] = random.below(8) == 0 ? reference[x] : sample(255U - reference[x]);
        break;
      case Content::random:
      case Content::input:
        reference[x] = sample(random.below(256));
        distorted[x] = sample(random.below(256));
        break;
    }
  }
}

int distort(int reference, int max_value, Random& random) {
  return std::clamp(reference + static_cast<int>(random.below(7)) - 3, 0, max_value);
}

}  // namespace sidecore::bench
