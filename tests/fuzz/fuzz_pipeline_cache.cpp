// Fuzzes the pipeline cache file with any bytes. Only a complete cache may be accepted; a cache
// that is damaged at one place or cut short must be rejected. The first four bytes select the
// damage.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "qpu/pipeline_cache_file.h"

namespace {

using namespace sidecore;
namespace fs = std::filesystem;

constexpr std::size_t kHeaderBytes = 64;

/// A directory of this process, removed at its end.
struct Directory {
  Directory() {
    std::string name = (fs::temp_directory_path() / "sidecore-fuzz-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  fs::path path;
};

qpu::DeviceInfo device() {
  qpu::DeviceInfo info;
  info.driver_version = 7;
  info.device_uuid.fill(1);
  info.driver_uuid.fill(2);
  return info;
}

void write(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Directory kDirectory;
  static const qpu::PipelineCacheFile kFile(kDirectory.path, device());
  const auto input = std::as_bytes(std::span(bytes, size));
  write(kFile.path(), input);
  if (const auto payload = kFile.load()) {
    require(input.size() > kHeaderBytes &&
            std::ranges::equal(*payload, input.subspan(kHeaderBytes)));
  }
  if (size <= 4) return 0;
  const auto saved = input.subspan(4);
  kFile.save(saved);
  const auto loaded = kFile.load();
  require(loaded && std::ranges::equal(*loaded, saved));
  std::vector<std::byte> file = bytes_of(kFile.path());
  const std::size_t place = (bytes[0] | std::size_t{bytes[1]} << 8) % file.size();
  if (bytes[2] == 0) {
    file.resize(place);
  } else {
    file[place] ^= std::byte{bytes[2]};
  }
  write(kFile.path(), file);
  require(!kFile.load());
  return 0;
}
