// How far long work has come, for somebody who watches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace sidecore {

/// Prints on standard error, for whoever watches. A full or closed standard error is ignored: no
/// result depends on it.
void print_remark(std::string_view text);
/// Prints likewise, unless the same text was printed so before: for what is found anew each time
/// that a file is read.
void print_remark_once(std::string_view text);

/// One line on standard error, "label: 12 of 48 (25.3/s)", redrawn at most ten times a second and
/// cleared at the end. Draws nothing when standard error is not a terminal.
class Progress {
 public:
  /// `total` is empty when it is not known.
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
