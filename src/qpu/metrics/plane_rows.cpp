#include "qpu/metrics/plane_rows.h"

#include "base/error.h"
#include "base/rounding.h"

namespace sidecore::qpu {
namespace {

std::uint32_t luma_stride(const char* name, const BufferRange& range, std::size_t stride,
                          std::size_t unit, const video::PictureFormat& format) {
  const std::size_t row_bytes =
      static_cast<std::size_t>(format.width) * format.pixel.bytes_per_sample();
  return stride_in_units(name, range, stride, unit, round_up(row_bytes, unit), format.height);
}

}  // namespace

std::uint32_t stride_in_units(const char* name, const BufferRange& range, std::size_t stride,
                              std::size_t unit, std::size_t row_bytes, int rows) {
  if (stride % unit != 0 || stride < row_bytes) {
    throw usage_error("{} stride {} must be a multiple of {} and at least a row's {} bytes", name,
                      stride, unit, row_bytes);
  }
  const std::size_t needed = (static_cast<std::size_t>(rows) - 1) * stride + row_bytes;
  if (range.bytes() < needed) {
    throw usage_error("{} range of {} bytes is smaller than the {} bytes of its rows", name,
                      range.bytes(), needed);
  }
  return static_cast<std::uint32_t>(stride / unit);
}

std::uint32_t stride_in_words(const char* name, const BufferRange& range, std::size_t stride,
                              const video::PictureFormat& format) {
  return luma_stride(name, range, stride, 4, format);
}

std::uint32_t stride_in_vectors(const char* name, const BufferRange& range, std::size_t stride,
                                const video::PictureFormat& format) {
  return luma_stride(name, range, stride, 16, format);
}

}  // namespace sidecore::qpu
