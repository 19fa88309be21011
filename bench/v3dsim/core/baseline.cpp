#include "v3dsim/core/prelude.h"

#define V3DSIM_CORE core_baseline
#include "v3dsim/core/run.h"

namespace sidecore::v3dsim::core_baseline {
Stop run(Thread& thread, Context& context) {
  return run_to_switch(thread, context);
}
}  // namespace sidecore::v3dsim::core_baseline
