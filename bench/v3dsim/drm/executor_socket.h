// Running the executor in another process: the driver may run under an emulator, where the executor
// would be many times slower than it is natively. The two share the memory file and talk over a
// connected stream socket; both are on one machine and built from one source.
#pragma once

#include "v3dsim/drm/executor_runner.h"
#include "v3dsim/drm/job_runner.h"

namespace sidecore::v3dsim {

/// The end beside the device.
class RemoteRunner final : public JobRunner {
 public:
  /// `socket` stays open. Throws Error (environment) when the memory cannot be handed over.
  RemoteRunner(int socket, const AddressSpace& memory);

  /// Throws Fault as the executor over there did, Error (environment) when it is gone.
  CsdResult run(const CsdJob& job, const AddressSpace& memory) override;

 private:
  int socket_;
};

/// The other end: runs what comes until the socket is closed. Throws Error (environment) when what
/// comes is not of the protocol.
void serve_jobs(int socket, ExecutorRunner& runner);

}  // namespace sidecore::v3dsim
