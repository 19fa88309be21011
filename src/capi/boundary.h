// Boundary between C callers and the C++ libraries: exceptions become error codes, and structures
// have the size that the caller's version knows.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "base/error.h"
#include "qpu/device.h"
#include "sidecore/sidecore.h"

namespace sidecore::capi {

struct Log {
  sidecore_log_callback callback = nullptr;
  void* cookie = nullptr;

  void operator()(int level, const char* message) const noexcept {
    if (callback != nullptr) callback(cookie, level, message);
  }
};

/// Error for a mistake of the caller; a function then returns SIDECORE_ERROR_ARGUMENT.
class ArgumentError : public Error {
 public:
  explicit ArgumentError(const std::string& message) : Error(ErrorKind::usage, message) {}
};

/// Returns `error` after storing its message for sidecore_last_error() and logging it.
int fail(const Log& log, int error, const char* message) noexcept;

/// Returns the code of the exception that is being handled; `usage` is the code for
/// ErrorKind::usage.
int fail_as_thrown(const Log& log, int usage) noexcept;

/// Returns what `call` returns; an exception becomes an error code.
template <class Call>
int error_code_of(const Log& log, int usage, const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    return fail_as_thrown(log, usage);
  }
}

inline void require(bool holds, const char* message) {
  if (!holds) throw ArgumentError(message);
}

/// Copies a structure of the caller's version into this version's; null gives the defaults. Throws
/// ArgumentError if the caller sets a member that this version does not have.
template <class Struct>
Struct copy_options(const Struct* from) {
  Struct own{};
  if (from == nullptr) return own;
  require(from->size >= sizeof from->size, "a structure's `size` must be set to its sizeof");
  std::memcpy(&own, from, std::min(from->size, sizeof own));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t index = sizeof own; index < from->size; ++index) {
    require(bytes[index] == 0, "a structure sets members that this library version does not have");
  }
  own.size = sizeof own;
  return own;
}

/// Copies `filled` to the caller's structure, up to the size that the caller set.
template <class Struct>
void give(Struct filled, Struct* to) {
  require(to->size >= sizeof to->size, "a structure's `size` must be set to its sizeof");
  filled.size = to->size;
  std::memcpy(to, &filled, std::min(to->size, sizeof filled));
}

/// Returns the number of threads for an option of 0 to 256; 0 means one per CPU that this process
/// may use. Throws ArgumentError.
int threads_of(int threads);

/// Opens the device that `selector` names, or the caller's `vulkan` device, and logs its name; both
/// may be null. Throws ArgumentError if both are given.
std::unique_ptr<qpu::Device> open_device(const char* selector, const sidecore_vulkan_device* vulkan,
                                         const Log& log);

}  // namespace sidecore::capi
