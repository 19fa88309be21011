#include "v3dsim/core/prelude.h"

#ifdef SIDECORE_V3DSIM_X86_VARIANTS
#pragma GCC push_options
#pragma GCC target( \
    "avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,lzcnt,popcnt,prefer-vector-width=512")
#define V3DSIM_CORE core_avx512
#include "v3dsim/core/run.h"

namespace sidecore::v3dsim::core_avx512 {
Stop run(Thread& thread, Context& context) {
  return run_to_switch(thread, context);
}
}  // namespace sidecore::v3dsim::core_avx512
#pragma GCC pop_options
#endif
