// Rewrites the headers of a VP9 stream with values that no available encoder writes. It changes
// only fields that do not affect the symbols, so that any decoder accepts the stream: level,
// sharpness and deltas of the loop filter, the quantiser and its deltas, and both in segments. The
// pictures differ from those that were encoded.
//
// Usage: header_rewriter IN.ivf OUT.ivf WHAT SEED     draws new values for every frame
// WHAT is a list of:
//   filter     level and sharpness; deltas of references and modes, sent by every second frame
//   plain      every second frame also switches off the loop filter's deltas
//   quantizer  the quantiser and its deltas of DC and chroma; never 0, which is lossless
//   segments   segmentation is on, also in frames without a map; features are differences
//   absolute   like segments, but every second frame has absolute feature values
// Quantiser steps only become smaller, because decoders agree only if a residual has no more bits
// than an encoder may produce.
// A packet of several frames is written as several packets.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "header_rewriter: %s\n", what);
  std::exit(1);
}

struct Size {
  unsigned width = 0;
  unsigned height = 0;
};

/// Reads a header and writes another one field by field; each field is copied, replaced or omitted.
class Header {
 public:
  explicit Header(const Bytes& frame) : frame_(frame) {}

  unsigned skip(int count) {
    unsigned value = 0;
    for (int bit = 0; bit < count; ++bit, ++at_) {
      value = 2 * value + (frame_.at(at_ / 8) >> (7 - at_ % 8) & 1U);
    }
    return value;
  }
  void put(unsigned value, int count) {
    for (int bit = count - 1; bit >= 0; --bit, ++used_) {
      if (used_ % 8 == 0) written_.push_back(0);
      if ((value >> bit & 1U) == 0) continue;
      written_.back() = static_cast<std::uint8_t>(written_.back() | 0x80U >> used_ % 8);
    }
  }
  void put_signed(int value, int count) {
    put(static_cast<unsigned>(std::abs(value)), count);
    put(value < 0, 1);
  }
  unsigned copy(int count) {
    const unsigned value = skip(count);
    put(value, count);
    return value;
  }
  /// Returns the frame with the written header in place of the one that was read.
  [[nodiscard]] Bytes finish() const {
    Bytes frame = written_;
    frame.insert(frame.end(), frame_.begin() + static_cast<std::ptrdiff_t>((at_ + 7) / 8),
                 frame_.end());
    return frame;
  }

 private:
  const Bytes& frame_;
  std::size_t at_ = 0;  // read position in bits
  Bytes written_;
  std::size_t used_ = 0;  // number of bits in `written_`
};

class Rewriter {
 public:
  Rewriter(std::string_view what, unsigned seed) : what_(what), random_(seed) {}

  Bytes rewrite(const Bytes& frame) {
    Header header(frame);
    header.copy(2);
    const unsigned profile = header.copy(1) | header.copy(1) << 1;
    if (profile == 3) header.copy(1);
    if (header.copy(1) != 0) return frame;  // the frame only shows an earlier frame
    const Size size = copy_start(header, profile);
    write_filter(header);
    write_quantizer(header);
    write_segmentation(header);
    copy_tiles(header, size.width);
    header.copy(16);
    ++number_;
    return header.finish();
  }

 private:
  [[nodiscard]] bool asked(std::string_view name) const {
    return what_.find(name) != std::string_view::npos;
  }
  int draw(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
  }

  static Size copy_size(Header& header) {
    const unsigned width = header.copy(16) + 1;
    return {width, header.copy(16) + 1};
  }
  static void copy_color(Header& header, unsigned profile) {
    constexpr unsigned kRgb = 7;
    if (profile >= 2) header.copy(1);
    if (header.copy(3) != kRgb) {
      header.copy(1);
      if (profile % 2 == 1) header.copy(3);
    } else if (profile % 2 == 1) {
      header.copy(1);
    }
  }

  // Copies the header up to the loop filter. Returns the frame's size.
  Size copy_start(Header& header, unsigned profile) {
    const bool key_frame = header.copy(1) == 0;
    const bool shown = header.copy(1) != 0;
    const bool error_resilient = header.copy(1) != 0;
    const bool intra_only = !key_frame && !shown && header.copy(1) != 0;
    independent_ = key_frame || intra_only || error_resilient;
    if (!key_frame && !error_resilient) header.copy(2);
    unsigned refreshed = 0xff;
    Size size;
    if (key_frame || intra_only) {
      header.copy(24);
      if (key_frame || profile > 0) copy_color(header, profile);
      if (intra_only) refreshed = header.copy(8);
      size = copy_size(header);
    } else {
      refreshed = header.copy(8);
      std::array<unsigned, 3> slots{};
      for (unsigned& slot : slots) {
        slot = header.copy(3);
        header.copy(1);
      }
      bool found = false;
      for (std::size_t index = 0; index < slots.size() && !found; ++index) {
        found = header.copy(1) != 0;
        if (found) size = sizes_[slots[index]];
      }
      if (!found) size = copy_size(header);
    }
    if (header.copy(1) != 0) header.copy(32);
    if (!key_frame && !intra_only) {
      header.copy(1);
      if (header.copy(1) == 0) header.copy(2);
    }
    for (unsigned slot = 0; slot < sizes_.size(); ++slot) {
      if ((refreshed >> slot & 1U) != 0) sizes_[slot] = size;
    }
    if (!error_resilient) header.copy(2);
    header.copy(2);
    return size;
  }

  void write_filter(Header& header) {
    const bool drawn = asked("filter");
    const bool plain = asked("plain") && number_ % 2 == 1;
    const auto field = [&](int bits, int most) {
      const unsigned old = header.skip(bits);
      header.put(drawn ? static_cast<unsigned>(draw(0, most)) : old, bits);
    };
    field(6, 63);
    field(3, 7);
    const bool deltas = header.skip(1) != 0;
    header.put(deltas && !plain, 1);
    const bool updated = deltas && header.skip(1) != 0;
    const bool update = drawn ? number_ % 2 == 0 : updated;
    if (deltas && !plain) header.put(update, 1);
    for (int delta = 0; delta < 6; ++delta) {
      const bool there = updated && header.skip(1) != 0;
      const unsigned old = there ? header.skip(7) : 0;
      if (!deltas || plain || !update) continue;
      header.put(drawn || there, 1);
      if (drawn) {
        header.put_signed(draw(-40, 40), 6);
      } else if (there) {
        header.put(old, 7);
      }
    }
  }

  void write_quantizer(Header& header) {
    bool drawn = asked("quantizer");
    const unsigned old = header.skip(8);
    quantizer_ = static_cast<int>(old);
    drawn = drawn && quantizer_ > 0;
    if (drawn) quantizer_ = draw(1, quantizer_);
    header.put(static_cast<unsigned>(quantizer_), 8);
    for (int delta = 0; delta < 3; ++delta) {
      const bool there = header.skip(1) != 0;
      const unsigned value = there ? header.skip(5) : 0;
      header.put(drawn || there, 1);
      if (drawn) {
        header.put_signed(draw(-15, 0), 4);
      } else if (there) {
        header.put(value, 5);
      }
    }
  }

  // Features for a fixed reference or skip change the symbols that follow, so they are copied. The
  // other features are drawn.
  void write_segmentation(Header& header) {
    const bool drawn = asked("segments") || asked("absolute");
    const bool enabled = header.skip(1) != 0;
    header.put(enabled || drawn, 1);
    if (!enabled && !drawn) return;
    const bool map = enabled && header.skip(1) != 0;
    header.put(map, 1);
    const auto copy_probabilities = [&](int count) {
      for (int index = 0; index < count; ++index) {
        if (header.copy(1) != 0) header.copy(8);
      }
    };
    if (map) {
      copy_probabilities(7);
      if (header.copy(1) != 0) copy_probabilities(3);
    }
    const bool data = enabled && header.skip(1) != 0;
    const bool old_absolute = data && header.skip(1) != 0;
    header.put(data || drawn, 1);
    if (!data && !drawn) return;
    const bool absolute = drawn ? asked("absolute") && number_ % 2 == 0 : old_absolute;
    header.put(absolute, 1);
    if (independent_) symbols_ = {};
    for (auto& [reference, skips] : symbols_) {
      write_feature(header, data, drawn, 8, absolute ? 0 : -255, absolute ? quantizer_ : 0);
      write_feature(header, data, drawn, 6, absolute ? 0 : -63, 63);
      if (data) {
        reference = header.skip(1) != 0 ? 4 + header.skip(2) : 0;
        skips = header.skip(1) != 0;
      }
      header.put(reference != 0, 1);
      if (reference != 0) header.put(reference & 3U, 2);
      header.put(skips, 1);
    }
  }

  void write_feature(Header& header, bool data, bool drawn, int bits, int least, int most) {
    const bool there = data && header.skip(1) != 0;
    const unsigned old = there ? header.skip(bits + 1) : 0;
    const bool active = drawn ? draw(0, 3) > 0 : there;
    header.put(active, 1);
    if (!active) return;
    if (drawn) {
      header.put_signed(draw(least, most), bits);
    } else {
      header.put(old, bits + 1);
    }
  }

  static void copy_tiles(Header& header, unsigned width) {
    const unsigned superblocks = (width + 63) / 64;
    unsigned least = 0;
    while (64U << least < superblocks) ++least;
    unsigned most = 0;
    while (superblocks >> (most + 1) >= 4) ++most;
    while (least < most && header.copy(1) != 0) ++least;
    if (header.copy(1) != 0) header.copy(1);
  }

  struct OfSymbols {
    unsigned reference = 0;  // 0 if the reference is not fixed, else 4 plus the reference
    bool skips = false;
  };
  std::string_view what_;
  std::mt19937 random_;
  unsigned number_ = 0;
  int quantizer_ = 0;  // base quantiser index of the frame
  bool independent_ = false;
  std::array<Size, 8> sizes_{};
  std::array<OfSymbols, 8> symbols_{};
};

unsigned little_endian(const Bytes& bytes, std::size_t at, unsigned count) {
  unsigned value = 0;
  for (unsigned index = 0; index < count; ++index)
    value |= unsigned{bytes.at(at + index)} << 8 * index;
  return value;
}

/// Returns the frames of a packet, without its superframe index.
std::vector<Bytes> frames_of(const Bytes& packet) {
  const unsigned marker = packet.back();
  const unsigned count = (marker & 7U) + 1;
  const unsigned length = (marker >> 3 & 3U) + 1;
  const std::size_t index = 2 + std::size_t{length} * count;
  if ((marker & 0xe0U) != 0xc0U || packet.size() < index ||
      packet[packet.size() - index] != marker) {
    return {packet};
  }
  std::vector<Bytes> frames;
  auto begin = packet.begin();
  for (unsigned frame = 0; frame < count; ++frame) {
    const unsigned size =
        little_endian(packet, packet.size() - index + 1 + std::size_t{frame} * length, length);
    frames.emplace_back(begin, begin + size);
    begin += size;
  }
  return frames;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) fail("usage: header_rewriter IN.ivf OUT.ivf WHAT SEED");
  std::ifstream in(argv[1], std::ios::binary);
  const Bytes file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  constexpr std::size_t kFileHeader = 32;
  constexpr std::size_t kPacketHeader = 12;
  if (file.size() < kFileHeader) fail("the input is not an IVF file");
  std::ofstream out(argv[2], std::ios::binary);
  const auto write = [&](const auto* bytes, std::size_t count) {
    out.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  };
  write(file.data(), kFileHeader);
  Rewriter rewriter(argv[3], static_cast<unsigned>(std::atoi(argv[4])));
  std::uint32_t number = 0;
  for (std::size_t at = kFileHeader; at < file.size();) {
    const unsigned size = little_endian(file, at, 4);
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at + kPacketHeader);
    for (const Bytes& frame : frames_of({begin, begin + size})) {
      const Bytes rewritten = rewriter.rewrite(frame);
      const std::array<std::uint32_t, 3> head{static_cast<std::uint32_t>(rewritten.size()),
                                              number++, 0};
      write(head.data(), sizeof(head));
      write(rewritten.data(), rewritten.size());
    }
    at += kPacketHeader + size;
  }
  return out ? 0 : 1;
}
