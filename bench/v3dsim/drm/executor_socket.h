// Runs the executor in another process. The driver may run under an emulator, in which the executor
// would be many times slower than natively. Both processes share the memory file and use a
// connected stream socket. They are on one machine and built from one source.
#pragma once

#include "v3dsim/drm/executor_runner.h"
#include "v3dsim/drm/job_runner.h"

namespace sidecore::v3dsim {

/// Device's end of the socket.
class RemoteRunner final : public JobRunner {
 public:
  /// Sends the memory's descriptor; `socket` stays open. Throws Error (environment) if that fails.
  RemoteRunner(int socket, const AddressSpace& memory);

  /// Runs a job in the other process. Throws Fault as the executor there did, or Error
  /// (environment) if that process is gone.
  CsdResult run(const CsdJob& job, const AddressSpace& memory) override;

 private:
  int socket_;
};

/// Runs jobs from the socket until it is closed. Throws Error (environment) for a message that
/// violates the protocol.
void serve_jobs(int socket, ExecutorRunner& runner);

}  // namespace sidecore::v3dsim
