// Fuzzes the two headers of a frame with any bytes: they must be parsed or cause an Error. The
// first byte selects the slots that hold a frame.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.h"
#include "vp9/compressed_header.h"
#include "vp9/frame_header.h"
#include "vp9/superframe.h"
#include "vp9/tables.h"

namespace {

using namespace sidecore::vp9;

void parse(std::span<const std::uint8_t> frame, const HeaderContext& context) {
  const FrameHeader header = parse_frame_header(frame, context);
  if (header.show_existing_frame) return;
  const auto rest = frame.subspan(header.uncompressed_bytes);
  if (header.compressed_bytes > rest.size()) return;
  Probabilities probabilities = kDefaultProbabilities;
  static_cast<void>(
      parse_compressed_header(rest.first(header.compressed_bytes), header, probabilities));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return -1;
  HeaderContext context;
  for (std::size_t slot = 0; slot < context.slot_sizes.size(); ++slot) {
    if ((bytes[0] >> slot & 1) != 0) context.slot_sizes[slot] = {64 << (slot % 4), 48};
  }
  try {
    const Superframe superframe = split_superframe(std::span(bytes, size).subspan(1));
    for (std::size_t index = 0; index < superframe.count; ++index) {
      parse(superframe.frames[index], context);
    }
  } catch (const sidecore::Error&) {
    return 0;
  }
  return 0;
}
