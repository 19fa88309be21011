// Listening to what the driver prints, and keeping it from those who did not ask for it.
#pragma once

#include <cstdio>
#include <functional>
#include <string_view>

namespace sidecore::v3dsim {

/// Who is asked about what the process prints on stdio's stderr. Called on the printing thread,
/// from several at once; must not print.
struct StderrListener {
  /// Whether a line that starts so may be for the listener: it is then held back until it is whole.
  /// `start` may hold the line's end and more.
  std::function<bool(std::string_view start)> may_want;
  /// A whole line, without its end; whether it goes on to where stderr led before.
  std::function<bool(std::string_view line)> passes;
};

/// Replaces the process's stderr by a stream that asks `listener` first; everything else goes on at
/// once and unchanged. For the rest of the process's life: C code keeps the pointer. Writing to
/// descriptor 2 is not seen. Throws Error (environment).
void tap_stderr(StderrListener listener);

/// The stream's logic, without the process's stderr: hands on to `next`.
class StderrTap {
 public:
  StderrTap(StderrListener listener, std::FILE* next);

  /// Text as one thread prints it, in pieces that need not be lines.
  void write(std::string_view text);

 private:
  /// The calling thread's line that is held back, up to its end; empty when none is.
  std::string_view take_held(std::string_view text);
  std::string_view take_fresh(std::string_view text);
  void pass_on(std::string_view text);

  StderrListener listener_;
  std::FILE* next_;
};

}  // namespace sidecore::v3dsim
