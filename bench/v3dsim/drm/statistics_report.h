// The file that tells what the jobs of a process did.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "v3dsim/drm/settings.h"

namespace sidecore::v3dsim {

/// One JSON object, schema "sidecore-v3dsim-report-1": the settings, one record a job, and the list
/// of unproven points, without which none of the rest should be read.
class StatisticsReport {
 public:
  /// Does nothing when Settings::statistics is empty.
  explicit StatisticsReport(const Settings& settings);

  [[nodiscard]] bool wanted() const { return !settings_.statistics.empty(); }

  /// `record`: one JSON object.
  void add(std::string record);

  /// Throws Error as AtomicFile does.
  void write() const;

 private:
  Settings settings_;
  std::vector<std::string> records_;
};

}  // namespace sidecore::v3dsim
