// brighten on NEON. On other CPUs than ARM the same source is compiled through SIMDe.
#include "examples/brighten/brighten.h"
#include "neon/neon.h"

namespace sidecore::examples {

void brighten_neon(std::span<std::uint8_t> row, std::uint8_t offset) {
  constexpr std::size_t kLanes = 16;
  const uint8x16_t offsets = vdupq_n_u8(offset);
  while (row.size() >= kLanes) {
    vst1q_u8(row.data(), vqaddq_u8(vld1q_u8(row.data()), offsets));  // saturates at 255
    row = row.subspan(kLanes);
  }
  // The remaining samples are processed by scalar code, because NEON would read and write after the
  // row's end.
  brighten(row, offset);
}

}  // namespace sidecore::examples
