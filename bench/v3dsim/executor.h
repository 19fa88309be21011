// Runs compute jobs: the front door of this library.
#pragma once

#include <memory>

#include "v3dsim/fault.h"
#include "v3dsim/job.h"
#include "v3dsim/machine.h"
#include "v3dsim/memory.h"
#include "v3dsim/options.h"
#include "v3dsim/statistics.h"
#include "v3dsim/trace.h"

namespace sidecore::v3dsim {

class ProgramCache;

/// A GPU: a machine and the way jobs run on it. One job at a time per executor.
class Executor {
 public:
  Executor(const Machine& machine, const Options& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs a job to its end and says what it did. Throws Fault; the memory then holds whatever had
  /// been written so far. `traces`, when there is one, learns what the threads do; supergroups then
  /// run on one host thread.
  Statistics run(const Job& job, const Memory& memory, TraceSink* traces = nullptr);

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const Options& options() const { return options_; }

 private:
  Machine machine_;
  Options options_;
  std::unique_ptr<ProgramCache> programs_;
};

}  // namespace sidecore::v3dsim
