// Listens to the driver's output on stderr, and hides it from users who did not ask for it.
#pragma once

#include <cstdio>
#include <functional>
#include <string_view>

namespace sidecore::v3dsim {

/// Callbacks for output on stdio's stderr. Printing threads call them, several at once; they must
/// not print.
struct StderrListener {
  /// Returns true if a line with this start may be for the listener; the line is then held until it
  /// is complete. `start` may contain the line's end and more.
  std::function<bool(std::string_view start)> may_want;
  /// Receives a whole line without its end. Returns true if it must be passed on to the previous
  /// stderr.
  std::function<bool(std::string_view line)> passes;
};

/// Replaces the process's stderr by a stream that asks `listener` first; other output passes at
/// once and unchanged. It stays for the rest of the process's life, because C code keeps the
/// pointer. Writes to descriptor 2 are not seen. Throws Error (environment).
void tap_stderr(StderrListener listener);

/// Logic of the stream that tap_stderr() installs, independent of the process's stderr: passes
/// output on to `next`.
class StderrTap {
 public:
  StderrTap(StderrListener listener, std::FILE* next);

  /// Receives text that one thread prints, in pieces that need not be lines.
  void write(std::string_view text);

 private:
  /// Adds to the calling thread's held line, up to the line's end. Returns the rest of `text`.
  std::string_view take_held(std::string_view text);
  std::string_view take_fresh(std::string_view text);
  void pass_on(std::string_view text);

  StderrListener listener_;
  std::FILE* next_;
};

}  // namespace sidecore::v3dsim
