#include "v3dsim/drm/address_space.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "v3dsim/noise.h"

namespace sidecore::v3dsim {
namespace {

// First address of a buffer. Hardware units treat address 0 as "none", and a forgotten base
// typically gives small addresses.
constexpr std::uint32_t kFirstAddress = 0x10000;
// Gap between buffers, so that an access beyond a buffer's end is detected.
constexpr std::uint64_t kGap = AddressSpace::kPage;
constexpr std::uint64_t kEnd = AddressSpace::kSize - kGap;

}  // namespace

AddressSpace::AddressSpace() : next_address_(kFirstAddress) {
  descriptor_ = memfd_create("v3dsim", MFD_CLOEXEC);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(kSize)) != 0) {
    throw errno_error(ErrorKind::environment, "cannot create a 4 GiB memory file", errno);
  }
  void* mapping =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  struct stat status {};
  if (mapping == MAP_FAILED || fstat(descriptor_, &status) != 0) {
    const int cause = errno;
    close(descriptor_);
    throw errno_error(ErrorKind::environment, "cannot map the 4 GiB memory file", cause);
  }
  base_ = static_cast<std::byte*>(mapping);
  device_id_ = status.st_dev;
  inode_ = status.st_ino;
}

AddressSpace::~AddressSpace() {
  munmap(base_, kSize);
  close(descriptor_);
}

int AddressSpace::duplicate_descriptor() const {
  return fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
}

bool AddressSpace::owns_descriptor(int descriptor) const {
  struct stat status {};
  const int cause = errno;
  const bool known = fstat(descriptor, &status) == 0;
  errno = cause;
  return known && status.st_dev == device_id_ && status.st_ino == inode_;
}

// Chooses ascending addresses that wrap around, so that a stale address meets a hole rather than
// the next buffer.
std::optional<std::uint32_t> AddressSpace::free_address(std::uint64_t size) const {
  for (const std::uint32_t from : {next_address_, kFirstAddress}) {
    std::uint64_t candidate = from;
    auto next = size_by_address_.lower_bound(from);
    if (next != size_by_address_.begin()) {
      const auto [address, length] = *std::prev(next);
      candidate = std::max(candidate, std::uint64_t{address} + length + kGap);
    }
    for (; next != size_by_address_.end() && candidate + size + kGap > next->first; ++next) {
      candidate = std::uint64_t{next->first} + next->second + kGap;
    }
    if (candidate + size <= kEnd) return static_cast<std::uint32_t>(candidate);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> AddressSpace::create(std::uint32_t size) {
  const std::uint64_t rounded = (std::uint64_t{size} + kPage - 1) / kPage * kPage;
  if (rounded == 0) return std::nullopt;
  const auto address = free_address(rounded);
  if (!address) return std::nullopt;
  size_by_address_.emplace(*address, static_cast<std::uint32_t>(rounded));
  const std::uint32_t handle = next_handle_++;
  address_by_handle_.emplace(handle, *address);
  next_address_ = static_cast<std::uint32_t>(*address + rounded);
  return handle;
}

void AddressSpace::fill_with_noise(std::uint32_t handle, std::uint64_t seed) {
  const BufferRange range = find(handle).value();
  std::uint64_t key = mix(seed ^ mix(handle));
  for (std::uint32_t at = 0; at < range.size; at += sizeof key) {
    const std::uint64_t noise = mix(key++);
    std::memcpy(base_ + range.address + at, &noise, sizeof noise);
  }
}

bool AddressSpace::destroy(std::uint32_t handle) {
  const auto found = address_by_handle_.find(handle);
  if (found == address_by_handle_.end()) return false;
  const auto range = size_by_address_.find(found->second);
  if (fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, range->first,
                range->second) != 0) {
    throw errno_error(ErrorKind::environment, "cannot free pages of the memory file", errno);
  }
  size_by_address_.erase(range);
  address_by_handle_.erase(found);
  return true;
}

std::optional<BufferRange> AddressSpace::find(std::uint32_t handle) const {
  const auto found = address_by_handle_.find(handle);
  if (found == address_by_handle_.end()) return std::nullopt;
  return BufferRange{found->second, size_by_address_.at(found->second)};
}

std::optional<BufferRange> AddressSpace::find_buffer_at(std::uint32_t address) const {
  const auto after = size_by_address_.upper_bound(address);
  if (after == size_by_address_.begin()) return std::nullopt;
  const auto [start, length] = *std::prev(after);
  if (address - start >= length) return std::nullopt;
  return BufferRange{start, length};
}

std::vector<BufferRange> AddressSpace::live() const {
  std::vector<BufferRange> ranges;
  ranges.reserve(size_by_address_.size());
  for (const auto& [address, size] : size_by_address_) ranges.push_back({address, size});
  return ranges;
}

std::span<std::byte> AddressSpace::bytes(std::uint32_t address, std::uint64_t size,
                                         const char* what) const {
  const auto holder = find_buffer_at(address);
  if (holder && std::uint64_t{address} + size <= std::uint64_t{holder->address} + holder->size) {
    return {base_ + address, size};
  }
  throw Error(ErrorKind::failed, fmt::format("{} of {} bytes at {:#010x} lies outside every buffer",
                                             what, size, address));
}

}  // namespace sidecore::v3dsim
