// Compressed frames out of files: IVF; libav/open.h opens all other containers.
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

/// Compressed data of one or more frames, as its container holds it.
struct Packet {
  std::vector<std::uint8_t> bytes;
  std::optional<std::int64_t> time_stamp{};  ///< of presentation, in PacketSource::ticks()
  bool discarded = false;  ///< decoded, because later frames refer to it, and not shown: it is
                           ///< outside of an edit list
};

/// The packets of one VP9 stream.
class PacketSource {
 public:
  virtual ~PacketSource() = default;
  /// As the container says it, or as the packets' time stamps amount to it (frame_rate.h).
  [[nodiscard]] virtual FrameRate frame_rate() const = 0;
  /// The container's description of the pictures; it counts more than the stream's.
  [[nodiscard]] virtual Description description() const = 0;
  /// The unit of time stamps, in ticks per second; numerator 0 when unknown.
  [[nodiscard]] virtual FrameRate ticks() const = 0;
  /// What it is, for messages: the path in quotes, or "standard input".
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// How many packets there are, where the container says so.
  [[nodiscard]] virtual std::optional<std::uint64_t> packets() const = 0;

  /// Fills `packet`, reusing its memory; false at the end. Throws Error (usage) that names the file
  /// when it is damaged or cut short.
  virtual bool read(Packet& packet) = 0;
};

/// First bytes of every IVF file.
inline constexpr std::string_view kIvfSignature = "DKIF";

/// The stream stands at the signature. Throws Error (usage) for a bad header or another codec than
/// VP9.
[[nodiscard]] std::unique_ptr<PacketSource> open_ivf(std::unique_ptr<ByteStream> stream);

/// The bytes of the next `most` packets, or of all that are left.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> read_packets(
    PacketSource& source, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace sidecore::video
