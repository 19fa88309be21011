// The one error type of the project.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace sidecore {

/// What an error means to the caller; the command's exit status is this value.
enum class ErrorKind : int {
  failed = 1,       ///< a gate or a comparison did not hold
  usage = 2,        ///< wrong usage or wrong input (options, files, edge lists)
  environment = 3,  ///< this machine lacks something, or broke: driver, device, disk
};

/// Thrown by every fallible function. what() is one line, without a full stop at its end, that
/// names the thing that is wrong and, where both exist, what was expected and what was found.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_status() const noexcept { return static_cast<int>(kind_); }
  /// Whether memory ran out, this machine's or a device's: an error of the environment, after which
  /// smaller work may do.
  [[nodiscard]] bool out_of_memory() const noexcept { return out_of_memory_; }
  /// The same error with another message.
  [[nodiscard]] Error reworded(const std::string& message) const {
    return {kind_, message, out_of_memory_};
  }

  /// Formatted as fmt does.
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

/// Wrong usage or input, formatted as fmt does.
template <class... Args>
[[nodiscard]] Error usage_error(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorKind::usage, fmt::format(format, std::forward<Args>(args)...)};
}

/// Something this machine lacks, formatted as fmt does.
template <class... Args>
[[nodiscard]] Error environment_error(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorKind::environment, fmt::format(format, std::forward<Args>(args)...)};
}

/// `message: strerror(errno_value)`.
[[nodiscard]] Error errno_error(ErrorKind kind, const std::string& message, int errno_value);

}  // namespace sidecore
