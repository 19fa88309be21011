// Memory that the host and the shaders of one device access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sidecore::qpu {

/// One storage buffer. If the device has memory that is both device-local and host-visible (a Pi,
/// lavapipe, integrated GPUs), bytes() is that memory and nothing is copied. Otherwise bytes() is a
/// host-side copy, and CommandList::upload() and download() copy between the two. On unified memory
/// upload() and download() record nothing. While a submission is in flight, the host must not touch
/// bytes() that the submission writes, and must not write bytes() that it reads.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
  /// Returns true if upload() and download() copy.
  [[nodiscard]] virtual bool staged() const = 0;
  /// Returns the VkBuffer that shaders access, as a number.
  [[nodiscard]] virtual std::uint64_t vulkan_handle() const = 0;

  template <class T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(bytes().data()), size() / sizeof(T)};
  }
};

/// A multiple of every device's min_storage_buffer_offset_alignment, in bytes.
inline constexpr std::size_t kRangeAlignment = 256;

/// Part of a buffer bound to a shader, in bytes. `offset` must be a multiple of the device's
/// min_storage_buffer_offset_alignment. `size` 0 means up to the buffer's end.
struct BufferRange {
  Buffer* buffer = nullptr;
  std::size_t offset = 0;
  std::size_t size = 0;

  /// Returns the number of bytes up to the range's end.
  [[nodiscard]] std::size_t bytes() const { return size != 0 ? size : buffer->size() - offset; }
};

}  // namespace sidecore::qpu
