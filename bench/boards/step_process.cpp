#include "boards/step_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>

#include "base/error.h"

namespace sidecore::boards {
namespace {

constexpr char kResult = 'R';  // first byte of what the child sends: a result or a reason follows
constexpr char kReason = 'E';

void send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string said_by(const std::function<std::string()>& work) {
  try {
    return kResult + work();
  } catch (const std::bad_alloc&) {
    return kReason + std::string("out of memory");
  } catch (const std::exception& error) {
    return kReason + std::string(error.what());
  }
}

/// Reads until the other end is closed or the deadline has passed. Returns true if it was closed.
bool read_until(int fd, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> chunk{};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{fd, POLLIN, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::min<long long>(left, 1'000'000)));
    if (found <= 0) continue;
    const ssize_t bytes = ::read(fd, chunk.data(), chunk.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return true;
    text.append(chunk.data(), static_cast<std::size_t>(bytes));
  }
}

}  // namespace

Outcome<std::string> run_in_process(const std::function<std::string()>& work, Nanoseconds limit) {
  using Said = Outcome<std::string>;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw errno_error(ErrorKind::environment, "a step cannot be started", errno);
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const int why = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw errno_error(ErrorKind::environment, "a step cannot be started", why);
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(ends[0]);
    send_all(ends[1], said_by(work));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  const bool closed = read_until(ends[0], Clock::now() + limit, text);
  ::close(ends[0]);
  if (!closed) ::kill(child, SIGKILL);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  if (!closed) {
    return Said::none(fmt::format("it took longer than {:.0f} s and was ended",
                                  std::chrono::duration<double>(limit).count()));
  }
  if (!text.empty() && text.front() == kResult) return {text.substr(1), {}};
  if (!text.empty() && text.front() == kReason) return Said::none(text.substr(1));
  if (WIFSIGNALED(state)) {
    return Said::none(fmt::format("it was ended by signal {} ({})", WTERMSIG(state),
                                  ::strsignal(WTERMSIG(state))));
  }
  return Said::none("it ended without a result");
}

}  // namespace sidecore::boards
