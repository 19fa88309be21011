// Between C callers and the libraries: no exception passes here, and structures have their caller's
// size.
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

/// The caller's mistake, whatever else a function may fail for.
class ArgumentError : public Error {
 public:
  explicit ArgumentError(const std::string& message) : Error(ErrorKind::usage, message) {}
};

/// Notes it for sidecore_last_error(), logs it, and returns it.
int fail(const Log& log, int error, const char* message) noexcept;

/// The exception that is being handled, as a code; `usage` is that of ErrorKind::usage.
int fail_as_thrown(const Log& log, int usage) noexcept;

/// What `call` returns, or what it throws as a code.
template <class Call>
int guarded(const Log& log, int usage, const Call& call) noexcept {
  try {
    return call();
  } catch (...) {
    return fail_as_thrown(log, usage);
  }
}

inline void require(bool holds, const char* message) {
  if (!holds) throw ArgumentError(message);
}

/// A structure of its caller's version; null: the defaults. Throws ArgumentError when it sets what
/// this version does not know.
template <class Struct>
Struct taken(const Struct* from) {
  Struct own{};
  if (from == nullptr) return own;
  require(from->size >= sizeof from->size, "a structure's size is not set");
  std::memcpy(&own, from, std::min(from->size, sizeof own));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  for (std::size_t index = sizeof own; index < from->size; ++index) {
    require(bytes[index] == 0, "a structure sets members that this version does not have");
  }
  own.size = sizeof own;
  return own;
}

/// Fills as much of a structure as its caller knows.
template <class Struct>
void give(Struct filled, Struct* to) {
  require(to->size >= sizeof to->size, "a structure's size is not set");
  filled.size = to->size;
  std::memcpy(to, &filled, std::min(to->size, sizeof filled));
}

/// 0 is one for each CPU. Throws ArgumentError.
int threads_of(int threads);

/// The device of a selector, which may be null, or the caller's own; logs its name. Throws
/// ArgumentError when both are given.
std::unique_ptr<qpu::Device> open_device(const char* selector, const sidecore_vulkan_device* vulkan,
                                         const Log& log);

}  // namespace sidecore::capi
