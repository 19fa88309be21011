#include "v3dsim/drm/stderr_tap.h"

#include <sys/types.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/error.h"

namespace sidecore::v3dsim {
namespace {

/// State of the calling thread's current line. A process has only one tap, so no key is needed.
struct ThreadLine {
  bool held = false;
  bool mid_line = false;  ///< true if a line that is not for the listener has begun but not ended
  std::string text;
};

ThreadLine& thread_line() {
  static thread_local ThreadLine line;
  return line;
}

ssize_t write_cookie(void* tap, const char* data, std::size_t bytes) {
  static_cast<StderrTap*>(tap)->write({data, bytes});
  return static_cast<ssize_t>(bytes);
}

}  // namespace

StderrTap::StderrTap(StderrListener listener, std::FILE* next)
    : listener_(std::move(listener)), next_(next) {}

void StderrTap::write(std::string_view text) {
  while (!text.empty()) text = thread_line().held ? take_held(text) : take_fresh(text);
}

std::string_view StderrTap::take_held(std::string_view text) {
  ThreadLine& line = thread_line();
  const std::size_t end = text.find('\n');
  line.text += text.substr(0, end);
  if (end == std::string_view::npos) return {};
  line.held = false;
  const std::string whole = std::exchange(line.text, {});
  if (listener_.passes(whole)) pass_on(whole + '\n');
  return text.substr(end + 1);
}

std::string_view StderrTap::take_fresh(std::string_view text) {
  ThreadLine& line = thread_line();
  if (!line.mid_line && listener_.may_want(text)) {
    line.held = true;
    return text;
  }
  const std::size_t end = text.find('\n');
  const std::size_t bytes = end == std::string_view::npos ? text.size() : end + 1;
  line.mid_line = end == std::string_view::npos;
  pass_on(text.substr(0, bytes));
  return text.substr(bytes);
}

void StderrTap::pass_on(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), next_);
}

void tap_stderr(StderrListener listener) {
  // The tap is never destroyed, because the driver may print until the process ends.
  auto* const tap = new StderrTap(std::move(listener), stderr);
  std::FILE* const stream = fopencookie(tap, "w", {nullptr, write_cookie, nullptr, nullptr});
  if (stream == nullptr) {
    throw errno_error(ErrorKind::environment, "cannot listen to the driver", errno);
  }
  // The stream is unbuffered, as stderr is, so that a crash loses no output.
  std::setvbuf(stream, nullptr, _IONBF, 0);
  stderr = stream;
}

}  // namespace sidecore::v3dsim
