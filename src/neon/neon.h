// NEON intrinsics: the compiler's own on ARM, SIMDe's elsewhere. With SIMDe the same source is
// built, tested and sanitized on any development machine. Its speed there says nothing about ARM.
#pragma once

#if defined(__ARM_NEON)
#include <arm_neon.h>
#else
#include "neon/simde.h"
#endif
