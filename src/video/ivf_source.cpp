// IVF: the plainest container, a header and frames.
#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "video/frame_rate.h"
#include "video/packet_source.h"

namespace sidecore::video {
namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kPacketHeaderBytes = 12;
// A larger packet is taken for damage.
constexpr std::uint32_t kMaxPacketBytes = 256U << 20U;

// Packets whose time stamps tell the frame rate: as many of a file, and few of a pipe, where the
// next one may be long in coming. They end where they hold this many bytes.
constexpr std::size_t kPacketsAhead = 64;
constexpr std::size_t kPacketsAheadOfPipe = 8;
constexpr std::size_t kBytesAhead = 16U << 20U;

/// A little-endian number of `count` <= 4 bytes.
std::uint32_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t index = 0; index < count; ++index) {
    value |= std::to_integer<std::uint32_t>(bytes[at + index]) << (8 * index);
  }
  return value;
}

class IvfSource final : public PacketSource {
 public:
  explicit IvfSource(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {
    std::array<std::byte, kHeaderBytes> header;
    if (stream_->read(header) < header.size()) {
      throw usage_error("{}: its IVF header is cut short", name());
    }
    const std::uint32_t header_bytes = number(header, 6, 2);
    if (number(header, 4, 2) != 0 || header_bytes != kHeaderBytes) {
      throw usage_error("{}: its IVF header is of a kind that is not known", name());
    }
    const std::string_view codec(reinterpret_cast<const char*>(header.data()) + 8, 4);
    if (codec != "VP90") throw usage_error("{}: its stream is not VP9", name());
    ticks_ = ticks_of(number(header, 16, 4), number(header, 20, 4));
    if (const std::uint32_t count = number(header, 24, 4); count > 0) packets_ = count;
    read_ahead();
  }

  [[nodiscard]] FrameRate frame_rate() const override { return frame_rate_; }
  [[nodiscard]] Description description() const override { return {}; }
  [[nodiscard]] FrameRate ticks() const override { return ticks_; }
  [[nodiscard]] const std::string& name() const override { return stream_->name(); }
  [[nodiscard]] std::optional<std::uint64_t> packets() const override { return packets_; }

  bool read(Packet& packet) override {
    if (!ahead_.empty()) {
      packet = std::move(ahead_.front());
      ahead_.pop_front();
      return true;
    }
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
    return read_next(packet);
  }

 private:
  /// Ticks per second; unknown if one of the numbers is 0 or too large to be meant.
  static FrameRate ticks_of(std::uint32_t numerator, std::uint32_t denominator) {
    constexpr std::uint32_t kMost = std::numeric_limits<int>::max();
    if (numerator == 0 || denominator == 0 || numerator > kMost || denominator > kMost) return {};
    return {static_cast<int>(numerator), static_cast<int>(denominator)};
  }

  /// The header has the unit of time stamps alone, so the first packets have to tell the rate.
  void read_ahead() {
    const std::size_t most = stream_->size() ? kPacketsAhead : kPacketsAheadOfPipe;
    std::vector<std::int64_t> stamps;
    std::size_t bytes = 0;
    try {
      for (Packet packet; stamps.size() < most && bytes < kBytesAhead && read_next(packet);) {
        stamps.push_back(packet.time_stamp.value_or(0));
        bytes += packet.bytes.size();
        ahead_.push_back(std::exchange(packet, {}));
      }
    } catch (const Error&) {  // comes after the packets before it
      failure_ = std::current_exception();
    }
    frame_rate_ = estimate_frame_rate(ticks_, stamps);
  }

  bool read_next(Packet& packet) {
    std::array<std::byte, kPacketHeaderBytes> header;
    const std::size_t got = stream_->read(header);
    if (got == 0) return false;
    const std::uint32_t size = got == header.size() ? number(header, 0, 4) : 0;
    if (got < header.size()) throw_truncated();
    if (size > kMaxPacketBytes) {
      throw usage_error("{}: packet {} claims {} bytes", name(), number_, size);
    }
    fill(packet.bytes, size);
    packet.discarded = false;
    packet.time_stamp = static_cast<std::int64_t>(std::uint64_t{number(header, 8, 4)} << 32U |
                                                  number(header, 4, 4));
    ++number_;
    return true;
  }

  // Memory is only taken for bytes that exist.
  void fill(std::vector<std::uint8_t>& bytes, std::size_t size) {
    constexpr std::size_t kPiece = 1U << 20U;
    bytes.clear();
    while (bytes.size() < size) {
      const std::size_t before = bytes.size();
      bytes.resize(before + std::min(size - before, kPiece));
      const auto piece = std::as_writable_bytes(std::span(bytes).subspan(before));
      if (stream_->read(piece) < piece.size()) throw_truncated();
    }
  }

  [[noreturn]] void throw_truncated() const {
    throw usage_error("{}: packet {} is cut short", name(), number_);
  }

  std::unique_ptr<ByteStream> stream_;
  FrameRate ticks_;
  FrameRate frame_rate_;
  std::optional<std::uint64_t> packets_;
  std::deque<Packet> ahead_;    ///< read, and not yet handed out
  std::exception_ptr failure_;  ///< of the packet after these; may be null
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<PacketSource> open_ivf(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<IvfSource>(std::move(stream));
}

}  // namespace sidecore::video
