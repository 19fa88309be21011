// Joins what the driver's compiler said of a program with what the program's jobs did.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "v3dsim/drm/job_runner.h"
#include "v3dsim/drm/shader_log.h"

namespace sidecore::v3dsim {

/// Records of the jobs of this process, until somebody takes them. Thread-safe.
class RecordQueue {
 public:
  /// From now on jobs leave records.
  void start() { wanted_ = true; }
  [[nodiscard]] bool wanted() const { return wanted_; }
  void add(std::string record);
  /// A JSON array of the records since the last call, in the order in which the jobs ran.
  [[nodiscard]] std::string take();

 private:
  std::atomic<bool> wanted_ = false;
  std::mutex mutex_;
  std::vector<std::string> records_;
};

/// Fills CsdJob::shader and keeps CsdResult::record; the work is another runner's.
class RecordingRunner final : public JobRunner {
 public:
  /// The references must outlive it.
  RecordingRunner(std::unique_ptr<JobRunner> runner, const ShaderLog& shaders,
                  RecordQueue& records);

  CsdResult run(const CsdJob& job, const AddressSpace& memory) override;

 private:
  std::unique_ptr<JobRunner> runner_;
  const ShaderLog& shaders_;
  RecordQueue& records_;
};

}  // namespace sidecore::v3dsim
