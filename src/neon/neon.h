// NEON intrinsics: the compiler's own on ARM, SIMDe's portable ones elsewhere, so that the same
// source is built, tested and sanitized on any development machine.
#pragma once

#if defined(__ARM_NEON)
#include <arm_neon.h>
#else
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/arm/neon.h>
#endif
