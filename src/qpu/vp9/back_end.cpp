#include "qpu/vp9/back_end.h"

#include <cassert>

#include "qpu/vp9/loop_filter_stage.h"
#include "qpu/vp9/picture_reconstruction.h"

namespace sidecore::qpu {

std::shared_ptr<DeviceBackEnd> make_back_end(Device& device, const vp9::Plan& plan) {
  plan.check();
  assert(plan.uses_qpu());
  if (plan.reconstructs_on_qpu()) return std::make_shared<PictureReconstruction>(device, plan);
  return std::make_shared<LoopFilterStage>(device, plan);
}

bool is_failed_device(const vp9::Plan& plan, const Error& error) {
  return plan.uses_qpu() && error.kind() == ErrorKind::environment && !error.out_of_memory();
}

}  // namespace sidecore::qpu
