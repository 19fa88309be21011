// Requests of memory ahead of its use.
#pragma once

namespace sidecore {

/// Loads the line of 64 bytes at `address` into the caches without waiting for it. `address` need
/// not be valid.
///
/// An emulator does not report the addresses of prefetch instructions. With
/// SIDECORE_VISIBLE_PREFETCH, which only programs for the timing model define, a load to the zero
/// register stands for the instruction, and `address` must be valid.
inline void prefetch(const void* address) {
#ifdef SIDECORE_VISIBLE_PREFETCH
  asm volatile("ldrb wzr, %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address);
#endif
}

}  // namespace sidecore
