// Pictures and VP9 packets out of any file: Y4M, raw planar and IVF, and whatever libavformat and
// libavcodec open.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "video/packet_source.h"
#include "video/source.h"

namespace sidecore::libav {

/// The error (usage) of a stream that is encrypted: no reader of another kind would open it.
class EncryptedError : public Error {
 public:
  explicit EncryptedError(const std::string& message) : Error(ErrorKind::usage, message) {}
};

/// Opens `path` ("-" for standard input). Y4M is recognised by its signature. Anything else is,
/// with `raw`, headerless planar samples of that format (8-bit bytes, deeper little-endian 16-bit),
/// and goes to libavformat without; the best video stream is decoded. Throws Error (usage) when the
/// file is missing, empty, a directory, or nothing that can be read.
[[nodiscard]] std::unique_ptr<video::PictureSource> open_source(
    const std::string& path, const std::optional<video::PictureFormat>& raw = std::nullopt);

/// Opens `path` ("-" for standard input). IVF is recognised by its signature, everything else goes
/// to libavformat. Throws Error (usage) when there is no VP9 stream in it.
[[nodiscard]] std::unique_ptr<video::PacketSource> open_packets(const std::string& path);

}  // namespace sidecore::libav
