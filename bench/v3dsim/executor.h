// Runs compute jobs: the entry point of this library.
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

/// A simulated GPU: a machine and the options for running jobs. An executor runs one job at a time.
class Executor {
 public:
  Executor(const Machine& machine, const Options& options);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs a job to its end and returns its statistics. Throws Fault; the memory then keeps what the
  /// job had written so far. If `traces` is set, it receives the threads' traces, and supergroups
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
