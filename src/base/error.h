// The project's only error type.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace sidecore {

/// Kind of an error. Its value is the command's exit status.
enum class ErrorKind : int {
  failed = 1,       ///< a gate or a comparison failed
  usage = 2,        ///< wrong usage or wrong input (options, files, edge lists)
  environment = 3,  ///< this machine lacks something, or a part of it (driver, device, disk) failed
};

/// Exception that every function throws on failure. what() is one line without a final full stop.
/// It names the faulty object and, if both exist, the expected and the actual value.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_status() const noexcept { return static_cast<int>(kind_); }
  /// Returns true if the memory of this machine or of a device ran out. This is an error of kind
  /// environment; smaller work may succeed.
  [[nodiscard]] bool out_of_memory() const noexcept { return out_of_memory_; }
  /// Returns the same error with another message.
  [[nodiscard]] Error reworded(const std::string& message) const {
    return {kind_, message, out_of_memory_};
  }

  /// Makes an out-of-memory error whose message is formatted as by fmt::format().
  template <class... Args>
  [[nodiscard]] static Error of_memory(fmt::format_string<Args...> format, Args&&... args) {
    return {ErrorKind::environment, fmt::format(format, std::forward<Args>(args)...), true};
  }

 private:
  Error(ErrorKind kind, const std::string& message, bool out_of_memory)
      : std::runtime_error(message), kind_(kind), out_of_memory_(out_of_memory) {}

  ErrorKind kind_;
  bool out_of_memory_ = false;
};

/// Makes an error for wrong usage or input; the message is formatted as by fmt::format().
template <class... Args>
[[nodiscard]] Error usage_error(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorKind::usage, fmt::format(format, std::forward<Args>(args)...)};
}

/// Makes an error for something that this machine lacks; the message is formatted as by
/// fmt::format().
template <class... Args>
[[nodiscard]] Error environment_error(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorKind::environment, fmt::format(format, std::forward<Args>(args)...)};
}

/// Makes an error with the message `message: strerror(errno_value)`.
[[nodiscard]] Error errno_error(ErrorKind kind, const std::string& message, int errno_value);

}  // namespace sidecore
