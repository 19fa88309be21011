// Common interface of the C library, the VA-API driver and the GStreamer element for tests: sends a
// stream and returns the answers as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vp9/frame_header.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test {

/// A packet with the properties that a player knows after parsing the stream.
struct Packet {
  struct Frame {
    Bytes bytes;
    vp9::FrameHeader header;
  };
  std::size_t number = 0;  ///< number of the picture in the stream
  Bytes bytes;
  std::vector<Frame> frames;
};

/// Settings of a user. Interfaces that read the environment get them as environment variables.
struct Wishes {
  std::string plan = "neon";
  std::string device{};
  std::int64_t max_pixels = 35651584;
  int threads = 1;
};

struct Shown {
  std::size_t packet = 0;  ///< number of the packet
  std::string checksum;    ///< MD5 of the picture's planes
  bool damaged = false;    ///< true if the interface reports damage
};

class Interface {
 public:
  virtual ~Interface() = default;

  /// Returns the error of opening; empty on success. After an error the interface accepts no
  /// packet.
  [[nodiscard]] virtual std::string refusal() const = 0;
  /// Sends a packet and returns the answer. If `sent` is not null, these bytes are sent instead,
  /// without the player's knowledge.
  virtual std::string give(const Packet& packet, const Bytes* sent) = 0;
  /// Sends a packet that is marked as encrypted, if the interface has such a mark.
  virtual std::string give_encrypted(const Packet& packet) = 0;
  /// Seeks: the next packet is from another part of the stream.
  virtual void seek() = 0;
  /// Closes the interface while pictures are in flight. Returns the answer.
  virtual std::string close() = 0;
  /// Returns true if the last packet used the device.
  [[nodiscard]] virtual bool uses_device() = 0;
  /// Returns the number of log lines that the CPU continues without the device.
  [[nodiscard]] virtual std::ptrdiff_t count_device_messages() = 0;
  [[nodiscard]] virtual std::vector<Shown> shown() = 0;

  /// Returns the answer of a successful call.
  [[nodiscard]] virtual std::string success() const = 0;

  /// Called by give() after decoding, before the player uses the pictures.
  std::function<void()> decoded = [] {};
};

std::unique_ptr<Interface> open_library(const Wishes& wishes);
std::unique_ptr<Interface> open_driver(const Wishes& wishes);
std::unique_ptr<Interface> open_element(const Wishes& wishes);

/// Formats a name of C as it appears in documents.
inline std::string code(const std::string& name) {
  return "`" + name + "`";
}

}  // namespace sidecore::test
