// Rows of a plane, which shaders read as words or as vectors of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "qpu/buffer.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Returns `stride`, which is in bytes, in units of `unit` bytes. Throws Error (usage) that names
/// the plane, unless `stride` is a multiple of `unit` that holds a row of `row_bytes` bytes, and
/// the range holds `rows` rows.
[[nodiscard]] std::uint32_t stride_in_units(const char* name, const BufferRange& range,
                                            std::size_t stride, std::size_t unit,
                                            std::size_t row_bytes, int rows);

/// Returns the stride of a luma plane in words of 4 bytes. Throws as stride_in_units() does.
[[nodiscard]] std::uint32_t stride_in_words(const char* name, const BufferRange& range,
                                            std::size_t stride, const video::PictureFormat& format);

/// Returns the stride of a luma plane in vectors of 16 bytes. Throws as stride_in_units() does.
[[nodiscard]] std::uint32_t stride_in_vectors(const char* name, const BufferRange& range,
                                              std::size_t stride,
                                              const video::PictureFormat& format);

}  // namespace sidecore::qpu
