// Pictures and VP9 packets out of any file: Y4M, raw planar and IVF, and whatever libavformat and
// libavcodec open.
#pragma once

#include <functional>
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

/// Makes pictures of VP9 packets: src/libav does not know the project's decoder.
using Vp9Decoding = std::function<std::unique_ptr<video::PictureSource>(
    std::unique_ptr<video::PacketSource> packets)>;

/// Opens `path` ("-" for standard input). Y4M is recognised by its signature. Anything else is,
/// with `raw`, headerless planar samples of that format (8-bit bytes, deeper little-endian 16-bit),
/// and goes to libavformat without; the best video stream is decoded: VP9 by `vp9`, other codecs,
/// and without `vp9` all of them, by libavcodec. IVF files of VP9 never come to libavformat then.
/// Throws Error (usage) when the file is missing, empty, a directory, or nothing that can be read,
/// and what `vp9` throws.
[[nodiscard]] std::unique_ptr<video::PictureSource> open_source(
    const std::string& path, const std::optional<video::PictureFormat>& raw = std::nullopt,
    const Vp9Decoding& vp9 = {});

/// Opens `path` ("-" for standard input). IVF is recognised by its signature, everything else goes
/// to libavformat. Throws Error (usage) when there is no VP9 stream in it.
[[nodiscard]] std::unique_ptr<video::PacketSource> open_packets(const std::string& path);

}  // namespace sidecore::libav
