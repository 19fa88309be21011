// The file that carries compiled pipelines from one run to the next.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "qpu/device.h"

namespace sidecore::qpu {

/// Named by driver UUID, device UUID and driver version, so that neighbours never meet. Drivers are
/// known to trust what they are handed; a header of our own with a checksum stands in front of the
/// payload, and a corrupt, truncated or foreign file counts as absent.
class PipelineCacheFile {
 public:
  /// `directory` empty: $XDG_CACHE_HOME/sidecore, else $HOME/.cache/sidecore, else no file at all.
  PipelineCacheFile(const std::filesystem::path& directory, const DeviceInfo& device);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The payload of a valid file.
  [[nodiscard]] std::optional<std::vector<std::byte>> load() const;
  /// Replaces the file atomically. A directory that cannot be written is no error.
  void save(std::span<const std::byte> payload) const noexcept;

 private:
  [[nodiscard]] std::vector<std::byte> header(std::span<const std::byte> payload) const;

  std::filesystem::path path_;
  std::vector<std::byte> identity_;
};

}  // namespace sidecore::qpu
