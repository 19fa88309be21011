// The arithmetic decoder of symbols.
// Source: VP9 specification v0.6, section 9.2 ("Parsing process for the bool decoder").
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sidecore::vp9 {

class BoolDecoder {
 public:
  /// Takes the marker bit; marker() tells it.
  explicit BoolDecoder(std::span<const std::uint8_t> bytes)
      : next_(bytes.data()), end_(bytes.data() + bytes.size()) {
    marker_ = read(128);
  }

  /// Whether the first bit was set, which it must not be.
  [[nodiscard]] bool marker() const { return marker_; }

  /// A bit that is 0 with `probability` 256ths (1..255).
  bool read(int probability) {
    if (bits_ < 0) fill();
    const std::uint32_t split = 1 + ((range_ - 1) * static_cast<std::uint32_t>(probability) >> 8);
    const std::uint64_t wide_split = std::uint64_t{split} << kRangeShift;
    const bool bit = value_ >= wide_split;
    if (bit) {
      range_ -= split;
      value_ -= wide_split;
    } else {
      range_ = split;
    }
    const int shift = std::countl_zero(static_cast<std::uint8_t>(range_));
    range_ <<= shift;
    value_ <<= shift;
    bits_ -= shift;
    return bit;
  }

  /// L(n) of the specification: bits of even odds, most significant first.
  int literal(int count) {
    int value = 0;
    for (int index = 0; index < count; ++index) value = value << 1 | int{read(128)};
    return value;
  }

  /// T of the specification: a symbol of `tree`.
  template <class Probability>
  int tree(const std::int8_t* tree, const Probability* probabilities) {
    std::int8_t node = 0;
    do {
      node = tree[node + int{read(probabilities[node >> 1])}];
    } while (node > 0);
    return -node;
  }

  /// Whether more bits were asked for than there are: the data is damaged.
  [[nodiscard]] bool overrun() const { return padding_ > bits_ + 8; }

 private:
  static constexpr int kRangeShift = 64 - 8;

  // Tops the window up by whole bytes, zeros beyond the end. bits_ is -8..-1.
  void fill() {
    const int bytes = bits_ == -8 ? 8 : 7;
    const auto left = static_cast<int>(end_ - next_ < bytes ? end_ - next_ : bytes);
    std::uint64_t word = 0;
    if (end_ - next_ >= 8) {
      static_assert(std::endian::native == std::endian::little);
      std::memcpy(&word, next_, 8);
      word = __builtin_bswap64(word) & (bytes == 8 ? ~std::uint64_t{0} : ~std::uint64_t{0xff});
    } else {
      for (int index = 0; index < left; ++index) {
        word |= std::uint64_t{next_[index]} << (56 - 8 * index);
      }
    }
    next_ += left;
    padding_ += 8 * (bytes - left);
    value_ |= word >> (bits_ + 8);
    bits_ += 8 * bytes;
  }

  const std::uint8_t* next_;
  const std::uint8_t* end_;
  std::uint64_t value_ = 0;  // window of the stream, its first bit on top
  std::uint32_t range_ = 255;
  int bits_ = -8;    // bits in the window beyond the 8 that a read needs
  int padding_ = 0;  // of the bits taken into the window, those beyond the end
  bool marker_;
};

}  // namespace sidecore::vp9
