#include "v3dsim/drm/command_list.h"

#include <cstring>
#include <optional>

#include "base/error.h"

namespace sidecore::v3dsim {
namespace {

// Packets have one opcode byte, then little-endian fields. Bit positions below count from the byte
// after the opcode; lengths include it.
enum PacketOpcode : unsigned {
  kEndOfRendering = 13,
  kBranch = 16,
  kReturnFromSubList = 18,
  kStartOfTileList = 20,
  kStoreTileBuffer = 29,
  kLoadTileBuffer = 30,
  kTileRenderingMode = 121,
};

// Identifiers of the sub-packets of kTileRenderingMode.
constexpr unsigned kFrameSize = 0;
constexpr unsigned kClearColour42 = 3;
constexpr unsigned kRenderTarget71 = 2;

constexpr unsigned kTileBufferNone = 8;
constexpr std::size_t kLongestPacket = 13;
// Packet limit: a copy of 4096 x 4096 items has a few thousand packets, while a branch to itself
// never ends.
constexpr unsigned kMaxPackets = 1U << 20;

/// Returns the length of a packet that moves no data and changes no control flow; 0 for other
/// packets.
std::size_t length_without_effect(unsigned opcode, Version version) {
  switch (opcode) {
    case 0:    // "halt" packet
    case 1:    // "no operation" packet
    case 4:    // "flush" packet
    case 19:   // "branch to the implicit tile list" packet
    case 26:   // "end of loads" packet
    case 27:   // "end of tile marker" packet
    case 125:  // "implicit tile coordinates" packet
      return 1;
    case 21:   // "tile list initial block size" packet
    case 126:  // "blend, depth and stencil state of a tile" packet
      return 2;
    case 25:  // "clear tile buffers" packet
      return version == Version::v42 ? 2 : 1;
    case 23:  // "supertile coordinates" packet
      return 3;
    case 124:  // "tile coordinates" packet
      return 4;
    // "branch to sub-list" packet; not followed, because tile lists are in the render list.
    case 15:
    case 17:   //
    case 123:  // "multicore set base" packet
      return 5;
    case 122:  // "multicore supertile configuration" packet
      return 9;
    default:
      return 0;
  }
}

std::size_t length_of(unsigned opcode, Version version) {
  switch (opcode) {
    case kEndOfRendering:
    case kReturnFromSubList:
      return 1;
    case kBranch:
      return 5;
    case kStartOfTileList:
    case kTileRenderingMode:
      return 9;
    case kStoreTileBuffer:
    case kLoadTileBuffer:
      return 13;
    default:
      return length_without_effect(opcode, version);
  }
}

struct Packet {
  std::uint8_t raw[kLongestPacket] = {};
  std::size_t length = 0;

  [[nodiscard]] unsigned opcode() const { return raw[0]; }
  /// Returns the field of `count` <= 32 bits from bit `first`.
  [[nodiscard]] std::uint32_t bits(unsigned first, unsigned count) const {
    std::uint64_t value = 0;
    const std::size_t from = 1 + first / 8;
    for (std::size_t i = 0; i < 8 && from + i < kLongestPacket; ++i) {
      value |= std::uint64_t{raw[from + i]} << (8 * i);
    }
    return static_cast<std::uint32_t>(value >> (first % 8) & ((std::uint64_t{1} << count) - 1));
  }
};

/// Load or store of the whole frame between the first render target and memory.
struct FrameAccess {
  std::uint32_t address;
  std::uint32_t item_bytes;
  std::uint32_t stride_bytes;
};

class CommandReader {
 public:
  CommandReader(const AddressSpace& memory, Version version) : memory_(memory), version_(version) {}

  Transfer read(std::uint32_t start) {
    std::uint32_t at = start;
    for (;;) {
      const Packet packet = next(at);
      if (packet.opcode() == kEndOfRendering) break;
      switch (packet.opcode()) {
        case kBranch:
          at = packet.bits(0, 32);
          break;
        case kStartOfTileList:
          read_tile_list(packet.bits(0, 32), packet.bits(32, 32));
          break;
        case kTileRenderingMode:
          read_rendering_mode(packet);
          break;
        case kStoreTileBuffer:
          // Stores outside a tile list must be empty: two empty stores before the first tile are a
          // workaround for a hardware erratum.
          if (packet.bits(0, 4) != kTileBufferNone) refuse("stores outside a tile list");
          break;
        case kLoadTileBuffer:
          refuse("loads outside a tile list");
        default:
          break;
      }
    }
    return transfer();
  }

 private:
  [[noreturn]] static void refuse(const char* what) {
    throw Error(ErrorKind::failed,
                fmt::format("a command list {}; only compute jobs, buffer copies and buffer fills "
                            "are simulated",
                            what));
  }

  Packet next(std::uint32_t& at) {
    if (++packets_ > kMaxPackets) refuse("does not end");
    Packet packet;
    packet.raw[0] = std::to_integer<std::uint8_t>(memory_.bytes(at, 1, "a command list")[0]);
    packet.length = length_of(packet.opcode(), version_);
    if (packet.length == 0) {
      refuse(fmt::format("holds packet {}, which draws or moves images", packet.opcode()).c_str());
    }
    const auto bytes = memory_.bytes(at, packet.length, "a command list");
    std::memcpy(packet.raw, bytes.data(), bytes.size());
    at += static_cast<std::uint32_t>(packet.length);
    return packet;
  }

  void read_tile_list(std::uint32_t at, std::uint32_t end) {
    if (tile_list_start_ && *tile_list_start_ != at) refuse("holds several tile lists");
    if (tile_list_start_) return;
    tile_list_start_ = at;
    while (at < end) {
      const Packet packet = next(at);
      switch (packet.opcode()) {
        case kReturnFromSubList:
          return;
        case kBranch:
          at = packet.bits(0, 32);
          break;
        case kLoadTileBuffer:
          record(packet, load_, "loads several times");
          break;
        case kStoreTileBuffer:
          if (packet.bits(0, 4) != kTileBufferNone) record(packet, store_, "stores several times");
          break;
        case kTileRenderingMode:
        case kStartOfTileList:
        case kEndOfRendering:
          refuse("nests its frames");
        default:
          break;
      }
    }
  }

  void read_rendering_mode(const Packet& packet) {
    const bool v42 = version_ == Version::v42;
    const unsigned sub = packet.bits(0, v42 ? 4 : 3);
    if (sub == kFrameSize) {
      width_ = packet.bits(8, 16);
      height_ = packet.bits(24, 16);
    } else if (v42 && sub == kClearColour42 && packet.bits(4, 4) == 0) {
      clear_word_ = packet.bits(8, 32);
    } else if (!v42 && sub == kRenderTarget71 && packet.bits(3, 3) == 0) {
      clear_word_ = packet.bits(32, 32);
    }
  }

  static void record(const Packet& packet, std::optional<FrameAccess>& access, const char* again) {
    if (access) refuse(again);
    if (packet.bits(0, 4) != 0) refuse("uses depth, stencil or a second render target");
    if (packet.bits(4, 3) != 0) refuse("uses a tiled image");
    const std::uint32_t format = packet.bits(12, 6);
    if (format < 34 || format > 36) refuse("uses a pixel format that is not a plain integer");
    access = FrameAccess{packet.bits(64, 32), 4U >> (format - 34), packet.bits(28, 20)};
  }

  // Returns the length of the frame in bytes; the driver lays its rows out without gaps.
  [[nodiscard]] std::uint64_t run_of(const FrameAccess& access) const {
    if (height_ > 1 && access.stride_bytes != width_ * access.item_bytes) {
      refuse("moves a rectangle, not a run of bytes");
    }
    return std::uint64_t{width_} * height_ * access.item_bytes;
  }

  [[nodiscard]] Transfer transfer() const {
    if (!load_ && !store_) return {};
    if (!store_) refuse("loads and stores nothing");
    if (load_) {
      if (load_->item_bytes != store_->item_bytes) refuse("converts a pixel format");
      return {Transfer::Kind::copy, load_->address, store_->address, run_of(*load_), 0};
    }
    if (store_->item_bytes != 4) refuse("clears items that are not words");
    if (!clear_word_) refuse("clears without a colour");
    return {Transfer::Kind::fill, 0, store_->address, run_of(*store_), *clear_word_};
  }

  const AddressSpace& memory_;
  Version version_;
  unsigned packets_ = 0;
  std::uint32_t width_ = 0, height_ = 0;
  std::optional<std::uint32_t> clear_word_, tile_list_start_;
  std::optional<FrameAccess> load_, store_;
};

}  // namespace

Transfer read_command_list(const AddressSpace& memory, Version version, std::uint32_t start) {
  return CommandReader(memory, version).read(start);
}

void perform(const Transfer& transfer, const AddressSpace& memory) {
  if (transfer.kind == Transfer::Kind::nothing) return;
  const auto destination =
      memory.bytes(transfer.destination, transfer.bytes, "the target of a copy or fill");
  if (transfer.kind == Transfer::Kind::copy) {
    const auto source = memory.bytes(transfer.source, transfer.bytes, "the source of a copy");
    std::memmove(destination.data(), source.data(), source.size());
    return;
  }
  for (std::size_t at = 0; at < destination.size(); at += sizeof transfer.word) {
    std::memcpy(destination.data() + at, &transfer.word, sizeof transfer.word);
  }
}

}  // namespace sidecore::v3dsim
