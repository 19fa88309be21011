// The executor's inner loop, compiled once per instruction set of the host.
#pragma once

#include "v3dsim/thread.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SIDECORE_V3DSIM_X86_VARIANTS 1
#endif

namespace sidecore::v3dsim {

namespace core_baseline {
Stop run(Thread& thread, Context& context);
}
#ifdef SIDECORE_V3DSIM_X86_VARIANTS
namespace core_avx2 {
Stop run(Thread& thread, Context& context);
}
namespace core_avx512 {
Stop run(Thread& thread, Context& context);
}
#endif

}  // namespace sidecore::v3dsim
