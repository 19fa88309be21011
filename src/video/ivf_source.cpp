// Reads IVF, the simplest container: a header, then frames.
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
// Largest accepted packet. A larger size is taken as damage.
constexpr std::uint32_t kMaxPacketBytes = 256U << 20U;

// Number of packets that are read ahead to estimate the frame rate from their time stamps. It is
// small for a pipe, where the next packet may arrive late. Reading ahead also stops at kBytesAhead
// bytes.
constexpr std::size_t kPacketsAhead = 64;
constexpr std::size_t kPacketsAheadOfPipe = 8;
constexpr std::size_t kBytesAhead = 16U << 20U;

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
  /// Returns the ticks per second; unknown if a number is 0 or implausibly large.
  static FrameRate ticks_of(std::uint32_t numerator, std::uint32_t denominator) {
    constexpr std::uint32_t kMax = std::numeric_limits<int>::max();
    if (numerator == 0 || denominator == 0 || numerator > kMax || denominator > kMax) return {};
    return {static_cast<int>(numerator), static_cast<int>(denominator)};
  }

  /// Reads the first packets to estimate the frame rate, because the header has only the unit of
  /// time stamps.
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
    } catch (const Error&) {  // read() throws the error after the packets before it
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
      throw usage_error("{}: packet {} has an impossible size of {} bytes", name(), number_, size);
    }
    fill(packet.bytes, size);
    packet.discarded = false;
    packet.time_stamp = static_cast<std::int64_t>(std::uint64_t{number(header, 8, 4)} << 32U |
                                                  number(header, 4, 4));
    ++number_;
    return true;
  }

  // Fills `bytes` piece by piece, so that memory is allocated only for bytes that exist.
  void fill(std::vector<std::uint8_t>& bytes, std::size_t size) {
    constexpr std::size_t kPieceBytes = 1U << 20U;
    bytes.clear();
    while (bytes.size() < size) {
      const std::size_t before = bytes.size();
      bytes.resize(before + std::min(size - before, kPieceBytes));
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
  std::deque<Packet> ahead_;  ///< packets that read() has not returned yet
  /// Error of the packet that follows `ahead_`; null if there is none.
  std::exception_ptr failure_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<PacketSource> open_ivf(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<IvfSource>(std::move(stream));
}

}  // namespace sidecore::video
