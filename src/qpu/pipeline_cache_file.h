// File that keeps compiled pipelines from one run to the next.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "qpu/device.h"

namespace sidecore::qpu {

/// File named after driver UUID, device UUID and driver version, so that devices and drivers never
/// share one. Some drivers trust the data that they are given. Therefore a header with a checksum
/// precedes the payload, and a corrupt, truncated or foreign file counts as absent.
class PipelineCacheFile {
 public:
  /// Builds the file's path. If `directory` is empty, uses $XDG_CACHE_HOME/sidecore, then
  /// $HOME/.cache/sidecore; if neither variable is set, there is no file.
  PipelineCacheFile(const std::filesystem::path& directory, const DeviceInfo& device);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Returns the payload if the file is valid.
  [[nodiscard]] std::optional<std::vector<std::byte>> load() const;
  /// Replaces the file atomically. Ignores a directory that cannot be written.
  void save(std::span<const std::byte> payload) const noexcept;

 private:
  [[nodiscard]] std::vector<std::byte> header(std::span<const std::byte> payload) const;

  std::filesystem::path path_;
  std::vector<std::byte> identity_;
};

}  // namespace sidecore::qpu
