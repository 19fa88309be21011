// NEON intrinsics: the compiler's own on ARM; elsewhere SIMDe's, by which the same source is built,
// tested and sanitized on any development machine. How fast that is says nothing about ARM.
#pragma once

#if defined(__ARM_NEON)
#include <arm_neon.h>
#else
#include "neon/simde.h"
#endif
