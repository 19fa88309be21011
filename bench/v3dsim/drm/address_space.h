// Buffer objects of the fake device, which are all in one sparse 4 GiB memory file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace sidecore::v3dsim {

/// Allocated buffer object: GPU addresses [address, address + size).
struct BufferRange {
  std::uint32_t address;
  std::uint32_t size;
};

/// Memory of the device. A GPU address is the offset in the memory file, and also the offset that
/// the driver passes to mmap. The driver's own mmap of the device's descriptor therefore works
/// unmodified, and CPU and simulated GPU access the same pages. Not thread-safe: the device
/// serialises calls.
class AddressSpace {
 public:
  static constexpr std::uint64_t kSize = std::uint64_t{1} << 32;
  static constexpr std::uint32_t kPage = 4096;

  /// Creates the memory file. Throws Error (environment) if memory files or 4 GiB of address space
  /// are not available.
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// Returns a new close-on-exec descriptor of the memory file, or -1 with errno set.
  [[nodiscard]] int duplicate_descriptor() const;
  /// Returns true if `descriptor` came from duplicate_descriptor() or is a copy of one.
  [[nodiscard]] bool owns_descriptor(int descriptor) const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// Creates a zeroed buffer, its size rounded up to whole pages. Returns its handle, or nothing if
  /// the address space is full or `size` is 0.
  std::optional<std::uint32_t> create(std::uint32_t size);
  /// Fills an allocated buffer with noise that depends only on `seed` and its handle.
  void fill_with_noise(std::uint32_t handle, std::uint64_t seed);
  /// Frees a buffer; returns false if there is no such handle. The pages return to the system and
  /// read as zeros afterwards.
  bool destroy(std::uint32_t handle);
  [[nodiscard]] std::optional<BufferRange> find(std::uint32_t handle) const;

  /// Returns the host address of the mapped memory file; GPU address a is base() + a.
  [[nodiscard]] std::byte* base() const { return base_; }

  /// Returns the allocated buffers by ascending address, at least a page apart.
  [[nodiscard]] std::vector<BufferRange> live() const;

  /// Returns the allocated buffer that contains `address`.
  [[nodiscard]] std::optional<BufferRange> find_buffer_at(std::uint32_t address) const;

  /// Returns the bytes [address, address + size). Throws Error (failed), naming `what`, unless they
  /// are inside one allocated buffer.
  [[nodiscard]] std::span<std::byte> bytes(std::uint32_t address, std::uint64_t size,
                                           const char* what) const;

 private:
  [[nodiscard]] std::optional<std::uint32_t> free_address(std::uint64_t size) const;

  int descriptor_;
  std::byte* base_;
  std::uint64_t device_id_, inode_;
  std::map<std::uint32_t, std::uint32_t> size_by_address_;
  std::unordered_map<std::uint32_t, std::uint32_t> address_by_handle_;
  std::uint32_t next_handle_ = 1;
  std::uint32_t next_address_;
};

}  // namespace sidecore::v3dsim
