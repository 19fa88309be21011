// Runs jobs with the QPU executor in this process.
#pragma once

#include <vector>

#include "v3dsim/drm/job_capture.h"
#include "v3dsim/drm/job_runner.h"
#include "v3dsim/drm/settings.h"
#include "v3dsim/drm/statistics_report.h"
#include "v3dsim/executor.h"

namespace sidecore::v3dsim {

class ExecutorRunner final : public JobRunner {
 public:
  explicit ExecutorRunner(const Settings& settings);

  CsdResult run(const CsdJob& job, const AddressSpace& memory) override;

  /// Runs a job on memory of another process; `base` is the host address of GPU address 0.
  CsdResult run(const CsdJob& job, std::byte* base);

  /// Writes Settings::statistics and Settings::record and, if Settings::explain is set, prints the
  /// unproven points. Must be called once, at the end. Throws Error as AtomicFile does.
  void write_report() const;

 private:
  Settings settings_;
  Executor executor_;
  StatisticsReport report_;
  std::vector<CapturedJob> captured_;
  bool ran_ = false;
};

}  // namespace sidecore::v3dsim
