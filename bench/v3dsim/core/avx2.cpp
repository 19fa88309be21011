#include "v3dsim/core/prelude.h"

#ifdef SIDECORE_V3DSIM_X86_VARIANTS
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#define V3DSIM_CORE core_avx2
#include "v3dsim/core/run.h"

namespace sidecore::v3dsim::core_avx2 {
Stop run(Thread& thread, Context& context) {
  return run_to_switch(thread, context);
}
}  // namespace sidecore::v3dsim::core_avx2
#pragma GCC pop_options
#endif
