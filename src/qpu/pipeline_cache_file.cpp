#include "qpu/pipeline_cache_file.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "base/atomic_file.h"

namespace sidecore::qpu {
namespace {

// Magic number of the file: "SCPC". All fields are in the host's byte order, because the file never
// leaves the host.
constexpr std::uint32_t kMagic = 0x43504353;
constexpr std::uint32_t kVersion = 1;
// Size of the header's first fields: magic, version, driver version and a zero; then two UUIDs. The
// payload's size and checksum follow.
constexpr std::size_t kIdentityBytes = 16 + 16 + 16;
constexpr std::size_t kHeaderBytes = kIdentityBytes + 8 + 8;
// Upper limit of a cache file, far above the size of any real one: a damaged size must not fill
// memory.
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20U;

// Computes the 64-bit FNV-1a hash (Fowler, Noll, Vo). It detects damage, not manipulation.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte byte : bytes)
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
  return hash;
}

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::filesystem::path default_directory() {
  const char* cache = ::secure_getenv("XDG_CACHE_HOME");
  // The XDG base directory specification says that relative paths are invalid and must be ignored.
  if (cache != nullptr && *cache == '/') return std::filesystem::path(cache) / "sidecore";
  const char* home = ::secure_getenv("HOME");
  if (home != nullptr && *home == '/') return std::filesystem::path(home) / ".cache" / "sidecore";
  return {};
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

PipelineCacheFile::PipelineCacheFile(const std::filesystem::path& directory,
                                     const DeviceInfo& device) {
  const std::filesystem::path parent = directory.empty() ? default_directory() : directory;
  if (!parent.empty()) {
    path_ = parent / fmt::format("pipelines-{}-{}-{:08x}.bin", hex(device.driver_uuid),
                                 hex(device.device_uuid), device.driver_version);
  }
  append(identity_, kMagic);
  append(identity_, kVersion);
  append(identity_, device.driver_version);
  append(identity_, std::uint32_t{0});
  append(identity_, device.driver_uuid);
  append(identity_, device.device_uuid);
}

std::vector<std::byte> PipelineCacheFile::header(std::span<const std::byte> payload) const {
  std::vector<std::byte> bytes = identity_;
  append(bytes, std::uint64_t{payload.size()});
  append(bytes, checksum(payload));
  return bytes;
}

std::optional<std::vector<std::byte>> PipelineCacheFile::load() const {
  std::error_code error;
  const std::uintmax_t size = path_.empty() ? 0 : std::filesystem::file_size(path_, error);
  if (error || size <= kHeaderBytes || size > kMaxFileBytes) return std::nullopt;
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  std::ifstream file(path_, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (!file) return std::nullopt;
  const std::span<const std::byte> payload = std::span(bytes).subspan(kHeaderBytes);
  const std::vector<std::byte> expected = header(payload);
  if (!std::equal(expected.begin(), expected.end(), bytes.begin())) return std::nullopt;
  return std::vector<std::byte>(payload.begin(), payload.end());
}

void PipelineCacheFile::save(std::span<const std::byte> payload) const noexcept {
  if (path_.empty() || payload.empty()) return;
  try {
    std::error_code error;
    std::filesystem::create_directories(path_.parent_path(), error);
    if (error) return;
    // Replaces only a regular file: opening a FIFO would wait for a reader, and a device would be
    // written to.
    const std::filesystem::file_status there = std::filesystem::status(path_, error);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) return;
    AtomicFile file(path_);
    file.write(header(payload));
    file.write(payload);
    file.commit();
  } catch (const std::exception&) {
    // The file may be missing: then the next run only compiles again.
    return;
  }
}

}  // namespace sidecore::qpu
