// Progress of long work, on terminals only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"

namespace sidecore {

/// One line on standard error, redrawn in place a few times a second; nothing at all unless
/// standard error is a terminal. The destructor clears the line.
class Progress {
 public:
  /// `total` is in the same steps as update(); nothing when it is not known.
  Progress(std::string label, std::optional<std::uint64_t> total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);

 private:
  std::string label_;
  std::optional<std::uint64_t> total_;
  bool terminal_ = false;
  bool drawn_ = false;
  Clock::time_point next_draw_;
};

}  // namespace sidecore
