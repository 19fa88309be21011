// A stream through one of the interfaces that players decode by, and what that answers, in its own
// words.
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

/// A packet as a player knows it that has understood the whole stream.
struct Packet {
  struct Frame {
    Bytes bytes;
    vp9::FrameHeader header;
  };
  std::size_t number = 0;  ///< in the stream
  Bytes bytes;
  std::vector<Frame> frames;
};

/// What a user sets, by the environment where the interface reads that.
struct Wishes {
  std::string plan = "neon";
  std::string device{};
  std::int64_t max_pixels = 35651584;
  int threads = 1;
};

struct Shown {
  std::size_t packet = 0;  ///< its number
  std::string checksum;    ///< the MD5 of its planes
  bool damaged = false;    ///< as the interface tells
};

class Interface {
 public:
  virtual ~Interface() = default;

  /// What opening it answered, if it was refused; then it takes nothing.
  [[nodiscard]] virtual std::string refusal() const = 0;
  /// Gives a packet. `sent`, if it is not null, are its bytes instead, of which a player notices
  /// nothing. Returns the answer.
  virtual std::string give(const Packet& packet, const Bytes* sent) = 0;
  /// The same of one that is encrypted, in the interface's own way where it has one.
  virtual std::string give_encrypted(const Packet& packet) = 0;
  /// What follows is of another part of the stream.
  virtual void seek() = 0;
  /// Ends it with what it has in flight. Returns the answer.
  virtual std::string close() = 0;
  /// Whether the last packet had work for the device.
  [[nodiscard]] virtual bool uses_device() = 0;
  /// How often the log said that the CPU goes on without the device.
  [[nodiscard]] virtual std::ptrdiff_t told_of_the_device() = 0;
  [[nodiscard]] virtual std::vector<Shown> shown() = 0;

  /// The answer to what went, and shows nothing wrong.
  [[nodiscard]] virtual std::string success() const = 0;

  /// Called by give() between decoding and what the player does with pictures.
  std::function<void()> decoded = [] {};
};

std::unique_ptr<Interface> open_library(const Wishes& wishes);
std::unique_ptr<Interface> open_driver(const Wishes& wishes);
std::unique_ptr<Interface> open_element(const Wishes& wishes);

/// A name of C's, as documents have it.
inline std::string code(const std::string& name) {
  return "`" + name + "`";
}

}  // namespace sidecore::test
