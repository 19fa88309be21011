// Opens pictures and VP9 packets of any file: Y4M, raw planar, IVF, WebM, and all formats of
// libavformat and libavcodec.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "video/packet_source.h"
#include "video/source.h"

namespace sidecore::libav {

/// Error (usage) for an encrypted stream. No other reader could open such a stream either.
class EncryptedError : public Error {
 public:
  explicit EncryptedError(const std::string& message) : Error(ErrorKind::usage, message) {}
};

/// Function that makes pictures from VP9 packets. Callers pass it to open_source(), because the
/// code in src/libav must not depend on src/vp9.
using Vp9Decoding = std::function<std::unique_ptr<video::PictureSource>(
    std::unique_ptr<video::PacketSource> packets)>;

/// Opens `path` as pictures; "-" is standard input. Y4M is recognised by its signature. If `raw` is
/// set, any other file is planar samples of that format without a header (bytes for 8 bits,
/// little-endian 16-bit words for more). Without `raw`, libavformat opens the file, and its best
/// video stream is decoded. VP9 is decoded by `vp9` if that is set, and IVF and most WebM files of
/// VP9 then bypass libavformat (webm/open.h). libavcodec decodes all other streams. Throws Error
/// (usage) if the file is missing, empty, a directory or unreadable, and the exceptions of `vp9`.
[[nodiscard]] std::unique_ptr<video::PictureSource> open_source(
    const std::string& path, const std::optional<video::PictureFormat>& raw = std::nullopt,
    const Vp9Decoding& vp9 = {});

/// Opens `path` as VP9 packets; "-" is standard input. IVF and most WebM files bypass
/// libavformat (webm/open.h), which opens all other files. Throws Error (usage) if there is no VP9
/// stream.
[[nodiscard]] std::unique_ptr<video::PacketSource> open_packets(const std::string& path);

}  // namespace sidecore::libav
