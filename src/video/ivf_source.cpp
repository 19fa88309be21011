// Reads IVF, the simplest container: a header, then frames.
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "video/packet_source.h"
#include "video/packets_ahead.h"

namespace sidecore::video {
namespace {

constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kPacketHeaderBytes = 12;

/// Reads a little-endian number of `count` bytes, at most 4.
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
      throw usage_error("{}: the IVF header is cut short", name());
    }
    const std::uint32_t header_bytes = number(header, 6, 2);
    if (number(header, 4, 2) != 0 || header_bytes != kHeaderBytes) {
      throw usage_error("{}: the IVF header has an unknown version or size", name());
    }
    const std::string_view codec(reinterpret_cast<const char*>(header.data()) + 8, 4);
    if (codec != "VP90") throw usage_error("{}: the stream is not VP9", name());
    ticks_ = ticks_of(number(header, 16, 4), number(header, 20, 4));
    if (const std::uint32_t count = number(header, 24, 4); count > 0) packets_ = count;
    // The header has only the unit of time stamps.
    frame_rate_ =
        ahead_.read(ticks_, !stream_->size(), [this](Packet& packet) { return read_next(packet); });
  }

  [[nodiscard]] FrameRate frame_rate() const override { return frame_rate_; }
  [[nodiscard]] Description description() const override { return {}; }
  [[nodiscard]] FrameRate ticks() const override { return ticks_; }
  [[nodiscard]] const std::string& name() const override { return stream_->name(); }
  [[nodiscard]] std::optional<std::uint64_t> packets() const override { return packets_; }

  bool read(Packet& packet) override {
    if (ahead_.take(packet)) return true;
    return read_next(packet);
  }

 private:
  /// Returns the ticks per second; unknown if a number is 0 or implausibly large.
  static FrameRate ticks_of(std::uint32_t numerator, std::uint32_t denominator) {
    constexpr std::uint32_t kMax = std::numeric_limits<int>::max();
    if (numerator == 0 || denominator == 0 || numerator > kMax || denominator > kMax) return {};
    return {static_cast<int>(numerator), static_cast<int>(denominator)};
  }

  bool read_next(Packet& packet) {
    std::array<std::byte, kPacketHeaderBytes> header;
    const std::size_t got = stream_->read(header);
    if (got == 0) return false;
    const std::uint32_t size = got == header.size() ? number(header, 0, 4) : 0;
    if (got < header.size()) throw_truncated();
    if (size > kMaxPacketBytes) {
      throw usage_error("{}: packet {} has an impossible size of {} bytes", name(), number_, size);
    }
    if (!stream_->read(packet.bytes, size)) throw_truncated();
    packet.discarded = false;
    packet.time_stamp = static_cast<std::int64_t>(std::uint64_t{number(header, 8, 4)} << 32U |
                                                  number(header, 4, 4));
    ++number_;
    return true;
  }

  [[noreturn]] void throw_truncated() const {
    throw usage_error("{}: packet {} is cut short", name(), number_);
  }

  std::unique_ptr<ByteStream> stream_;
  FrameRate ticks_;
  FrameRate frame_rate_;
  std::optional<std::uint64_t> packets_;
  PacketsAhead ahead_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<PacketSource> open_ivf(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<IvfSource>(std::move(stream));
}

}  // namespace sidecore::video
