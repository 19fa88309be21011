// Reads planar samples of a picture as stored in Y4M and raw files: planes Y, Cb, Cr without
// padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "video/byte_stream.h"
#include "video/picture.h"

namespace sidecore::video {

/// Returns the size in bytes of a picture in this form.
[[nodiscard]] std::size_t planar_bytes(const PictureFormat& format);

/// Throws Error (usage) with a message that picture `number` of `source` has only `taken` of its
/// bytes.
[[noreturn]] void throw_truncated(const std::string& source, std::uint64_t number,
                                  const PictureFormat& format, std::uint64_t taken);

/// Fills `picture` from the stream and checks the range of its samples. Returns the number of bytes
/// read. It is less than planar_bytes() only if the stream ended; then the picture must not be
/// used. `number` is the picture's number for messages.
std::size_t read_planar(ByteStream& stream, Picture& picture, std::uint64_t number);

}  // namespace sidecore::video
