// Reads plain bits, most significant first, as the uncompressed header stores them.
// Source: VP9 specification v0.6, section 4.10.2 (f(n), s(n)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sidecore::vp9 {

class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// Reads an unsigned number of `count` bits, 0..32. Bits beyond the end read as 0, and overrun()
  /// is true from then on.
  std::uint32_t bits(int count) {
    std::uint32_t value = 0;
    for (int index = 0; index < count; ++index) value = value << 1 | next();
    return value;
  }
  bool flag() { return next() != 0; }
  /// Reads `count` bits of magnitude, then the sign bit.
  int signed_bits(int count) {
    const int magnitude = static_cast<int>(bits(count));
    return flag() ? -magnitude : magnitude;
  }

  [[nodiscard]] bool overrun() const { return position_ > bytes_.size() * 8; }
  /// Returns the number of bytes from which at least one bit was read.
  [[nodiscard]] std::size_t bytes_taken() const { return (position_ + 7) / 8; }

 private:
  std::uint32_t next() {
    const std::size_t at = position_++;
    if (at / 8 >= bytes_.size()) return 0;
    return bytes_[at / 8] >> (7 - at % 8) & 1U;
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
};

}  // namespace sidecore::vp9
