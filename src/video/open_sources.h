// The kinds of PictureSource that open_source() chooses from.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "video/byte_stream.h"
#include "video/source.h"

namespace sidecore::video {

/// First bytes of every Y4M file.
inline constexpr std::string_view kY4mSignature = "YUV4MPEG2";

/// The stream stands at the signature. Throws Error (usage) for a bad header.
[[nodiscard]] std::unique_ptr<PictureSource> open_y4m(std::unique_ptr<ByteStream> stream);

/// Throws Error (usage) for a bad format.
[[nodiscard]] std::unique_ptr<PictureSource> open_raw(std::unique_ptr<ByteStream> stream,
                                                      const PictureFormat& format);

/// Opens `path` again when the stream says it can be, so that libavformat may seek; otherwise feeds
/// libavformat from the stream. Throws Error (usage) when there is no video in it that can be
/// decoded to a supported pixel format.
[[nodiscard]] std::unique_ptr<PictureSource> open_libav(std::unique_ptr<ByteStream> stream,
                                                        const std::string& path);

}  // namespace sidecore::video
