// Planar samples of a picture, as Y4M and raw files hold them: planes Y, Cb, Cr without padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "video/byte_stream.h"
#include "video/picture.h"

namespace sidecore::video {

/// Bytes of such a picture.
[[nodiscard]] std::size_t planar_bytes(const PictureFormat& format);

/// Throws Error (usage): picture `number` of `source` has only `taken` of its bytes.
[[noreturn]] void throw_truncated(const std::string& source, std::uint64_t number,
                                  const PictureFormat& format, std::uint64_t taken);

/// Fills `picture` from the stream and checks its samples' range. Returns the bytes taken: fewer
/// than planar_bytes() only when the stream ended, and then the picture is not to be used.
/// `number` is for messages.
std::size_t read_planar(ByteStream& stream, Picture& picture, std::uint64_t number);

}  // namespace sidecore::video
