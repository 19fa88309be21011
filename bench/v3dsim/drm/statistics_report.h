// File with the statistics of a process's jobs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "v3dsim/drm/settings.h"

namespace sidecore::v3dsim {

/// One JSON object, schema "sidecore-v3dsim-report-1": the settings, one record per job, and the
/// list of unproven points, without which the rest must not be interpreted.
class StatisticsReport {
 public:
  /// Makes a report, which stays unused if Settings::statistics is empty.
  explicit StatisticsReport(const Settings& settings);

  [[nodiscard]] bool wanted() const { return !settings_.statistics.empty(); }

  /// Adds a record, one JSON object.
  void add(std::string record);

  /// Writes the file. Throws Error as AtomicFile does.
  void write() const;

 private:
  Settings settings_;
  std::vector<std::string> records_;
};

}  // namespace sidecore::v3dsim
