// The buffer objects of the fake device, all in one sparse 4 GiB memory file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace sidecore::v3dsim {

/// A live buffer object: GPU addresses [address, address + size).
struct BufferRange {
  std::uint32_t address;
  std::uint32_t size;
};

/// GPU address = offset in the memory file = what the driver hands to mmap. The driver's own mmap
/// of the device's file descriptor therefore works unmodified, and processor and "GPU" see the same
/// pages. Not thread-safe: the device serialises.
class AddressSpace {
 public:
  static constexpr std::uint64_t kSize = std::uint64_t{1} << 32;
  static constexpr std::uint32_t kPage = 4096;

  /// Throws Error (environment) where memory files or 4 GiB of address space are not to be had.
  AddressSpace();
  ~AddressSpace();
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  /// A fresh close-on-exec descriptor of the memory file, or -1 with errno set.
  [[nodiscard]] int duplicate_descriptor() const;
  /// Whether `descriptor` is one of the above, or a copy of it.
  [[nodiscard]] bool owns_descriptor(int descriptor) const;
  [[nodiscard]] int descriptor() const { return descriptor_; }

  /// A zeroed buffer, its size rounded up to whole pages; its handle, or nothing when the address
  /// space is full or `size` is 0.
  std::optional<std::uint32_t> create(std::uint32_t size);
  /// Fills a live buffer with noise that depends on `seed` and its handle only.
  void fill_with_noise(std::uint32_t handle, std::uint64_t seed);
  /// False when there is no such handle. The pages go back to the system and read as zeros again.
  bool destroy(std::uint32_t handle);
  [[nodiscard]] std::optional<BufferRange> find(std::uint32_t handle) const;

  /// Where the memory file is mapped; GPU address a is base() + a.
  [[nodiscard]] std::byte* base() const { return base_; }

  /// Live buffers in ascending order of address, at least a page apart.
  [[nodiscard]] std::vector<BufferRange> live() const;

  /// The live buffer that `address` lies in.
  [[nodiscard]] std::optional<BufferRange> holder_of(std::uint32_t address) const;

  /// Bytes at [address, address + size). Throws Error (failed), naming `what`, unless they lie
  /// within one live buffer.
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
