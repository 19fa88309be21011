// Sources of compressed frames from IVF files; libav/open.h opens all containers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "video/byte_stream.h"
#include "video/description.h"
#include "video/source.h"

namespace sidecore::video {

/// Compressed data of one or more frames, as stored in the container.
struct Packet {
  std::vector<std::uint8_t> bytes;
  /// Presentation time in the unit of PacketSource::ticks().
  std::optional<std::int64_t> time_stamp{};
  /// True if the packet is outside of an edit list: decoded for later frames, but not shown.
  bool discarded = false;
};

/// Size of the largest accepted packet in bytes. A larger size is taken as damage.
inline constexpr std::uint32_t kMaxPacketBytes = 256U << 20U;

/// A source of the packets of one VP9 stream.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  /// Returns the frame rate stated by the container, or estimated from time stamps (frame_rate.h).
  [[nodiscard]] virtual FrameRate frame_rate() const = 0;
  /// Returns the container's description of the pictures, which has priority over the stream's.
  [[nodiscard]] virtual Description description() const = 0;
  /// Returns the unit of time stamps in ticks per second; numerator 0 if unknown.
  [[nodiscard]] virtual FrameRate ticks() const = 0;
  /// Returns the source's name for messages: the path in quotes, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Returns the number of packets if the container states it.
  [[nodiscard]] virtual std::optional<std::uint64_t> packets() const = 0;

  /// Reads the next packet into `packet`, reusing its memory; returns false at the end. Throws
  /// Error (usage) that names the file if it is damaged or cut short.
  virtual bool read(Packet& packet) = 0;
};

/// Signature: the first bytes of every IVF file.
inline constexpr std::string_view kIvfSignature = "DKIF";

/// Opens an IVF stream that is at its signature. Throws Error (usage) for a bad header or a codec
/// other than VP9.
[[nodiscard]] std::unique_ptr<PacketSource> open_ivf(std::unique_ptr<ByteStream> stream);

/// Returns the bytes of the next `most` packets, or of all remaining ones if there are fewer.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> read_packets(
    PacketSource& source, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace sidecore::video
