// A file in memory that the fuzzed functions open by path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sidecore::fuzz {

/// A file in memory. Each process uses one file for all executions, because opening a new file
/// would take longer than an execution.
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
