// Rows of a luma plane as shaders read them: vectors of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "qpu/buffer.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// The stride, in bytes, of a luma plane of that format, in vectors of 16 bytes. Throws Error
/// (usage), naming the plane, unless it is a multiple of 16 that holds a row and the range holds
/// all rows.
[[nodiscard]] std::uint32_t stride_in_vectors(const char* name, const BufferRange& range,
                                              std::size_t stride,
                                              const video::PictureFormat& format);

}  // namespace sidecore::qpu
