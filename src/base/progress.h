// Reports the progress of long work to the user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace sidecore {

/// Prints text for the user on standard error. Ignores a full or closed standard error, because no
/// result depends on it.
void print_remark(std::string_view text);
/// Prints like print_remark(), unless the same text was printed by this function before. Use it for
/// remarks that recur each time a file is read.
void print_remark_once(std::string_view text);

/// One progress line on standard error, for example "label: 12 of 48 (25.3/s)". It is redrawn at
/// most ten times per second and cleared at the end. Draws nothing if standard error is not a
/// terminal.
class Progress {
 public:
  /// Starts the line. `total` is empty if it is unknown.
  Progress(std::string label, std::optional<std::uint64_t> total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);

 private:
  std::string label_;
  std::optional<std::uint64_t> total_;
  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point next_draw_;
};

}  // namespace sidecore
