#include "v3dsim/drm/executor_runner.h"

#include "base/error.h"

namespace sidecore::v3dsim {
namespace {

/// Until the executor is linked: refuses every job.
class RefusingRunner final : public JobRunner {
 public:
  CsdResult run(const CsdJob&, const AddressSpace&) override {
    throw Error(ErrorKind::failed, "compute jobs are not executed");
  }
};

}  // namespace

std::unique_ptr<JobRunner> make_executor_runner(const Settings&) {
  return std::make_unique<RefusingRunner>();
}

}  // namespace sidecore::v3dsim
