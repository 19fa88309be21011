// Busy time of the GPU's queues, as counted by the Linux kernel.
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

/// One open file of a DRM device, read from /proc/PID/fdinfo. The format is in the Linux kernel's
/// Documentation/gpu/drm-usage-stats.rst.
struct DrmClient {
  std::string driver;  ///< "v3d"
  std::string device;  ///< PCI address of the device; empty on other buses
  std::string id;      ///< number that is unique per device; copies of a file descriptor share it
  /// Busy nanoseconds per engine; "csd" is V3D's compute queue.
  std::map<std::string, std::uint64_t> busy_ns;
  std::map<std::string, std::uint64_t> capacity;  ///< number of engines of each name, if not 1
};

/// Parses the text of a fdinfo file. Returns nothing if it is not of a DRM file or has no engine's
/// busy time.
[[nodiscard]] std::optional<DrmClient> parse_fdinfo(std::string_view text);

/// Parses the v3d driver's `gpu_stats` of sysfs: busy nanoseconds per queue. Returns an empty map
/// for other texts.
[[nodiscard]] std::map<std::string, std::uint64_t> parse_gpu_stats(std::string_view text);

/// Share of a period in which a GPU engine was busy.
struct EngineShare {
  std::string driver;
  std::string engine;
  double share = 0;  ///< 0 to 1, mean over all engines of that name
};

/// Measures the busy shares of a period from files below `root`, read before and after the period.
class GpuUsage {
 public:
  /// Creates the meter; `root` is "/" except in tests.
  explicit GpuUsage(std::filesystem::path root = "/");

  /// Returns the files that the times come from and the processes that they cover, or the reason
  /// why there are no times.
  [[nodiscard]] const Outcome<std::string>& source() const { return source_; }

  void start();
  /// Returns the busy shares since start(), which was `elapsed` ago; empty without a source.
  [[nodiscard]] std::vector<EngineShare> stop(Nanoseconds elapsed);

 private:
  /// Busy nanoseconds divided by the number of engines, per driver and engine.
  using Times = std::map<std::pair<std::string, std::string>, double>;

  [[nodiscard]] Times of_this_process() const;
  [[nodiscard]] Times of_all_processes() const;
  [[nodiscard]] Times now() const;

  std::filesystem::path root_;
  bool own_ = false;
  Outcome<std::string> source_;
  Times start_;
};

/// Returns the means over `rounds` as "v3d csd 93.1 %, v3d cpu 0.4 %"; empty if nothing was busy.
[[nodiscard]] std::string to_string(const std::vector<std::vector<EngineShare>>& rounds);

}  // namespace sidecore::gates
