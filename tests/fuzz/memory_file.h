// A file in memory that the fuzzed functions open by its path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sidecore::fuzz {

/// One for a process, because opening it anew for each execution would cost more than the
/// execution.
class MemoryFile {
 public:
  /// Returns true if the file's content is now these bytes.
  bool fill(const std::uint8_t* bytes, std::size_t size) const {
    return ::ftruncate(file_, 0) == 0 &&
           ::pwrite(file_, bytes, size, 0) == static_cast<ssize_t>(size);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int file_ = ::memfd_create("input", 0);
  std::string path_ = "/proc/self/fd/" + std::to_string(file_);
};

}  // namespace sidecore::fuzz
