// Memory that the host and the shaders of one device see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sidecore::qpu {

/// One storage buffer. Where the device has memory that is both device-local and host-visible (a
/// Pi, lavapipe, integrated GPUs), bytes() is that memory: nothing is ever copied. Elsewhere
/// bytes() is a host-side copy, and CommandList::upload() and download() copy between the two; on
/// unified memory these two record nothing. The host must not touch bytes() that a submission in
/// flight writes, nor write what it reads.
class Buffer {
 public:
  virtual ~Buffer() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual std::span<std::byte> bytes() = 0;
  /// Whether upload() and download() copy.
  [[nodiscard]] virtual bool staged() const = 0;
  /// Vulkan's VkBuffer that shaders see, as a number.
  [[nodiscard]] virtual std::uint64_t vulkan_handle() const = 0;

  template <class T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(bytes().data()), size() / sizeof(T)};
  }
};

/// A part of a buffer bound to a shader. offset is a multiple of the device's
/// min_storage_buffer_offset_alignment (256 always is); size 0 means up to the end.
struct BufferRange {
  Buffer* buffer = nullptr;
  std::size_t offset = 0;
  std::size_t size = 0;
};

}  // namespace sidecore::qpu
