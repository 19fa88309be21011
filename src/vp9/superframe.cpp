#include "vp9/superframe.h"

#include "base/error.h"

namespace sidecore::vp9 {

Superframe split_superframe(std::span<const std::uint8_t> packet) {
  Superframe result;
  if (packet.empty()) return result;
  const unsigned marker = packet.back();
  const std::size_t count = (marker & 7U) + 1;
  const std::size_t size_bytes = (marker >> 3 & 3U) + 1;
  const std::size_t index_bytes = 2 + count * size_bytes;
  if ((marker & 0xe0U) != 0xc0U || packet.size() < index_bytes ||
      packet[packet.size() - index_bytes] != marker) {
    result.frames[result.count++] = packet;
    return result;
  }
  const std::uint8_t* size_byte = packet.data() + packet.size() - index_bytes + 1;
  std::span<const std::uint8_t> rest = packet.first(packet.size() - index_bytes);
  for (std::size_t frame = 0; frame < count; ++frame) {
    std::size_t size = 0;
    for (std::size_t byte = 0; byte < size_bytes; ++byte) {
      size |= std::size_t{*size_byte++} << (8 * byte);
    }
    if (size > rest.size()) {
      throw usage_error(
          "the superframe index lists a frame of {} bytes, but only {} bytes are left", size,
          rest.size());
    }
    if (size > 0) result.frames[result.count++] = rest.first(size);
    rest = rest.subspan(size);
  }
  return result;
}

}  // namespace sidecore::vp9
