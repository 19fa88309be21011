// The arithmetic decoder of symbols.
// Source: VP9 specification v0.6, section 9.2 ("Parsing process for the bool decoder").
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sidecore::vp9 {

/// Small enough to be copied: a loop of many reads works on a copy, which registers hold.
class BoolDecoder {
 public:
  /// Takes the marker bit; marker() tells it.
  explicit BoolDecoder(std::span<const std::uint8_t> bytes)
      : end_(bytes.data() + bytes.size()), left_(std::ssize(bytes)) {
    marker_ = read(128);
  }

  /// Whether the first bit was set, which it must not be.
  [[nodiscard]] bool marker() const { return marker_; }

  /// A bit that is 0 with `probability` 256ths (1..255).
  [[gnu::always_inline]] bool read(int probability) {
    prepare();
    return read_prepared(probability);
  }

  /// Gets bits ready for kReadsPrepared calls of read_prepared().
  [[gnu::always_inline]] void prepare() {
    if (static_cast<std::uint32_t>(window_) == 0) [[unlikely]]
      fill();
  }
  static constexpr int kReadsPrepared = 4;  // each takes 7 bits at most, and needs 8

  /// read(), after prepare().
  [[gnu::always_inline]] bool read_prepared(int probability) {
    // 1 + ((range - 1) * probability >> 8), of numbers that lie in the top byte.
    const std::uint64_t part = std::uint64_t{static_cast<std::uint32_t>(range_ - kOne)} *
                                   static_cast<std::uint32_t>(probability) >>
                               32;
    const std::uint64_t split = kOne + (part << kTopByte);
    const std::uint64_t rest = window_ - (split << kRangeInWindow);
    const bool bit = static_cast<std::int64_t>(rest) >= 0;
    if (bit) {
      range_ -= split;
      window_ = rest;
    } else {
      range_ = split;
    }
    // std::countl_zero() would ask whether it is 0.
    const int shift = __builtin_clz(static_cast<std::uint32_t>(range_));
    range_ <<= shift;
    window_ <<= shift;
    return bit;
  }

  /// L(n) of the specification: bits of even odds, most significant first.
  int literal(int count) {
    int value = 0;
    for (int index = 0; index < count; ++index) value = value << 1 | int{read(128)};
    return value;
  }

  /// T of the specification: a symbol of `Tree` (vp9/tables.h), as code, a branch for a node.
  template <const auto& Tree, int Node = 0>
  [[gnu::always_inline]] int tree(const std::uint8_t* probabilities) {
    if (!read(probabilities[Node / 2])) return branch<Tree, Tree[Node]>(probabilities);
    return branch<Tree, Tree[Node + 1]>(probabilities);
  }

  /// Whether more bits were asked for than there are: the data is damaged.
  [[nodiscard]] bool overrun() const { return 8 * left_ + (62 - std::countr_zero(window_)) < 0; }

 private:
  template <const auto& Tree, int Entry>
  [[gnu::always_inline]] int branch(const std::uint8_t* probabilities) {
    if constexpr (Entry <= 0) {
      return -Entry;
    } else {
      return tree<Tree, Entry>(probabilities);
    }
  }

  // Puts 32 bits behind those in the window, zeros beyond the end; there are less than 31 in it.
  [[gnu::always_inline]] void fill() {
    std::uint32_t word = 0;
    if (left_ >= 4) [[likely]] {
      static_assert(std::endian::native == std::endian::little);
      std::memcpy(&word, end_ - left_, 4);
      word = __builtin_bswap32(word);
    } else {
      word = last_bytes(end_, left_);
    }
    left_ -= 4;
    // The bits with the 1 behind them take the place of the 1 that was.
    const std::uint64_t bits = 2 * std::uint64_t{word} + 1 - (std::uint64_t{1} << 32);
    window_ += bits << (__builtin_ctzll(window_) - 32);
  }

  // The `left` bytes before `end`, three at most, from the top. Takes no `this`: the decoder may
  // stay in registers.
  [[gnu::noinline]] static std::uint32_t last_bytes(const std::uint8_t* end, std::ptrdiff_t left) {
    std::uint32_t word = 0;
    for (int shift = kTopByte; left > 0; --left, shift -= 8) {
      word |= std::uint32_t{*(end - left)} << shift;
    }
    return word;
  }

  static constexpr int kTopByte = 24;
  static constexpr std::uint32_t kOne = 1U << kTopByte;
  static constexpr int kRangeInWindow = 31;

  // A zero, the stream's next bits, then a 1, then zeros: so the window knows how many there are,
  // and that less than 31 are left is that its lower half is zero. The zero on top is where a
  // difference has its sign.
  std::uint64_t window_ = std::uint64_t{1} << 62;
  std::uint64_t range_ = 255 * kOne;  // in the top byte of 32 bits
  const std::uint8_t* end_;
  std::ptrdiff_t
      left_;  // bytes that never were in the window; below 0, zeros taken for want of them
  bool marker_;
};

}  // namespace sidecore::vp9
