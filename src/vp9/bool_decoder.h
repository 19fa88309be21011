// Arithmetic decoder for the symbols of a frame.
// Source: VP9 specification v0.6, section 9.2 ("Parsing process for the bool decoder").
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sidecore::vp9 {

/// Decodes arithmetic-coded bits and symbols. It is small enough to copy: a loop of many reads
/// works on a copy that stays in registers.
class BoolDecoder {
 public:
  /// Starts at the first of `bytes` and reads the marker bit, which marker() returns.
  explicit BoolDecoder(std::span<const std::uint8_t> bytes)
      : end_(bytes.data() + bytes.size()), left_(std::ssize(bytes)) {
    marker_ = read(128);
  }

  /// Returns the first bit of the data, which is 0 in a valid stream.
  [[nodiscard]] bool marker() const { return marker_; }

  /// Reads one bit, which is 0 with a probability of `probability` / 256 (1..255).
  [[gnu::always_inline]] bool read(int probability) {
    prepare();
    return read_prepared(probability);
  }

  /// Loads enough bits for kReadsPrepared calls of read_prepared().
  [[gnu::always_inline]] void prepare() {
    if (static_cast<std::uint32_t>(window_) == 0) [[unlikely]]
      fill();
  }
  /// Number of reads per prepare(). Each consumes at most 7 bits and needs 8 in the window.
  static constexpr int kReadsPrepared = 4;

  /// Reads one bit like read(). The caller must have called prepare() at most kReadsPrepared reads
  /// before.
  [[gnu::always_inline]] bool read_prepared(int probability) {
    // Computes 1 + ((range - 1) * probability >> 8) on numbers that are held in the top byte.
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
    // __builtin_clz() is used because std::countl_zero() adds a test for 0, and range_ is never 0.
    const int shift = __builtin_clz(static_cast<std::uint32_t>(range_));
    range_ <<= shift;
    window_ <<= shift;
    return bit;
  }

  /// Reads L(n) of the specification: `count` bits of probability 1/2, most significant first.
  int literal(int count) {
    int value = 0;
    for (int index = 0; index < count; ++index) value = value << 1 | int{read(128)};
    return value;
  }

  /// Reads T of the specification: a symbol of `Tree` (vp9/tables.h). The tree becomes code, one
  /// branch per node.
  template <const auto& Tree, int Node = 0>
  [[gnu::always_inline]] int tree(const std::uint8_t* probabilities) {
    if (!read(probabilities[Node / 2])) return branch<Tree, Tree[Node]>(probabilities);
    return branch<Tree, Tree[Node + 1]>(probabilities);
  }

  /// Returns true if more bits were read than the data has, which means that the data is damaged.
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

  // Appends 32 bits to those in the window, which must hold fewer than 31. Bits beyond the end of
  // the data are 0.
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
    // Replaces the window's end marker (its lowest set bit) with the 32 new bits and a new end
    // marker.
    const std::uint64_t bits = 2 * std::uint64_t{word} + 1 - (std::uint64_t{1} << 32);
    window_ += bits << (__builtin_ctzll(window_) - 32);
  }

  // Returns the `left` bytes before `end` (at most 3) in the top bytes of a word, the others 0. It
  // is static so that the decoder's members can stay in registers.
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

  // Layout from the top: a 0, the stream's next bits, an end marker of 1, then zeros. The end
  // marker's position tells how many bits there are: fewer than 31 if the lower half is zero. The
  // top 0 leaves room for the sign of a difference.
  std::uint64_t window_ = std::uint64_t{1} << 62;
  // Range of the arithmetic decoder, held in the top byte of 32 bits.
  std::uint64_t range_ = 255 * kOne;
  const std::uint8_t* end_;
  std::ptrdiff_t
      left_;  // bytes not yet loaded into the window; negative after zeros were loaded instead
  bool marker_;
};

}  // namespace sidecore::vp9
