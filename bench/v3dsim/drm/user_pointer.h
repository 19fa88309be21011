// Conversion of addresses that kernel structures hold as integers.
#pragma once

#include <cstdint>
#include <span>

namespace sidecore::v3dsim {

/// Returns the object at `address` in this process; null for 0.
template <class T>
[[nodiscard]] T* user_pointer(std::uint64_t address) {
  // The kernel's interface passes every pointer as a 64-bit integer.
  return reinterpret_cast<T*>(  // NOLINT(performance-no-int-to-ptr)
      static_cast<std::uintptr_t>(address));
}

template <class T>
[[nodiscard]] std::span<T> user_array(std::uint64_t address, std::uint32_t count) {
  return {user_pointer<T>(address), count};
}

}  // namespace sidecore::v3dsim
