#include "qpu/metrics/plane_rows.h"

#include "base/error.h"

namespace sidecore::qpu {

std::uint32_t stride_in_vectors(const char* name, const BufferRange& range, std::size_t stride,
                                const video::PictureFormat& format) {
  constexpr std::size_t kVectorBytes = 16;
  const std::size_t row_bytes =
      static_cast<std::size_t>(format.width) * format.pixel.bytes_per_sample();
  const std::size_t row_vectors = (row_bytes + kVectorBytes - 1) / kVectorBytes;
  if (stride % kVectorBytes != 0 || stride / kVectorBytes < row_vectors) {
    throw usage_error("{} stride {} must be a multiple of {} and at least a row's {} bytes", name,
                      stride, kVectorBytes, row_bytes);
  }
  const std::size_t needed =
      (static_cast<std::size_t>(format.height) - 1) * stride + row_vectors * kVectorBytes;
  const std::size_t given = range.size != 0 ? range.size : range.buffer->size() - range.offset;
  if (given < needed) {
    throw usage_error("{} range of {} bytes is smaller than the {} bytes of its rows", name, given,
                      needed);
  }
  return static_cast<std::uint32_t>(stride / kVectorBytes);
}

}  // namespace sidecore::qpu
