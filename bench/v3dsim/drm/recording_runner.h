// Joins the compiler figures of a program with the statistics of the program's jobs.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "v3dsim/drm/job_runner.h"
#include "v3dsim/drm/shader_log.h"

namespace sidecore::v3dsim {

/// Records of this process's jobs until take() is called. Thread-safe.
class RecordQueue {
 public:
  /// Makes later jobs leave records.
  void start() { wanted_ = true; }
  [[nodiscard]] bool wanted() const { return wanted_; }
  void add(std::string record);
  /// Returns a JSON array of the records since the last call, in the order in which the jobs ran.
  [[nodiscard]] std::string take();

 private:
  std::atomic<bool> wanted_ = false;
  std::mutex mutex_;
  std::vector<std::string> records_;
};

/// Fills CsdJob::shader, lets another runner run the job, and keeps CsdResult::record.
class RecordingRunner final : public JobRunner {
 public:
  /// Makes a runner that passes jobs to `runner`. `shaders` and `records` must outlive it.
  RecordingRunner(std::unique_ptr<JobRunner> runner, const ShaderLog& shaders,
                  RecordQueue& records);

  CsdResult run(const CsdJob& job, const AddressSpace& memory) override;

 private:
  std::unique_ptr<JobRunner> runner_;
  const ShaderLog& shaders_;
  RecordQueue& records_;
};

}  // namespace sidecore::v3dsim
