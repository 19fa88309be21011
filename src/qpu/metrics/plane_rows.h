// Rows of a luma plane, which shaders read as vectors of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "qpu/buffer.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Returns the stride of a luma plane in vectors of 16 bytes; `stride` is in bytes. Throws Error
/// (usage) that names the plane, unless `stride` is a multiple of 16 that holds a row, and the
/// range holds all rows.
[[nodiscard]] std::uint32_t stride_in_vectors(const char* name, const BufferRange& range,
                                              std::size_t stride,
                                              const video::PictureFormat& format);

}  // namespace sidecore::qpu
