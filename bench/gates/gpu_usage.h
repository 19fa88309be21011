// How long the GPU's queues were busy, as the kernel counts it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/outcome.h"

namespace sidecore::gates {

/// One open file of a DRM device, as /proc/PID/fdinfo tells of it (the kernel's
/// Documentation/gpu/drm-usage-stats.rst).
struct DrmClient {
  std::string driver;  ///< "v3d"
  std::string device;  ///< of the PCI bus; empty on others
  std::string id;      ///< unique among the device's files; copies of a descriptor share it
  std::map<std::string, std::uint64_t> busy_ns;   ///< by engine; "csd" is V3D's compute queue
  std::map<std::string, std::uint64_t> capacity;  ///< engines of that name, where not 1
};

/// Nothing when the text is not of a DRM file, or tells no engine's time.
[[nodiscard]] std::optional<DrmClient> parse_fdinfo(std::string_view text);

/// Nanoseconds by queue of the v3d driver's `gpu_stats` in sysfs; empty when it is none.
[[nodiscard]] std::map<std::string, std::uint64_t> parse_gpu_stats(std::string_view text);

/// Of a stretch of time, how much an engine was busy.
struct EngineShare {
  std::string driver;
  std::string engine;
  double share = 0;  ///< 0..1; of all engines of the name together
};

/// Reads files below `root` only, none of them while work is timed.
class GpuUsage {
 public:
  /// "/" except in tests.
  explicit GpuUsage(std::filesystem::path root = "/");

  /// Where the times come from and whose they are, or why there are none.
  [[nodiscard]] const Outcome<std::string>& source() const { return source_; }

  void start();
  /// Since start(), which was `elapsed` ago; empty without a source.
  [[nodiscard]] std::vector<EngineShare> stop(Nanoseconds elapsed);

 private:
  /// Nanoseconds over the number of engines, by driver and engine.
  using Times = std::map<std::pair<std::string, std::string>, double>;

  [[nodiscard]] Times of_this_process() const;
  [[nodiscard]] Times of_all_processes() const;
  [[nodiscard]] Times now() const;

  std::filesystem::path root_;
  bool own_ = false;
  Outcome<std::string> source_;
  Times start_;
};

/// "v3d csd 93.1 %, v3d cpu 0.4 %" of the means over `rounds`; empty when nothing was busy.
[[nodiscard]] std::string to_string(const std::vector<std::vector<EngineShare>>& rounds);

}  // namespace sidecore::gates
