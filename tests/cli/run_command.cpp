#include "cli/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace sidecore::test {
namespace {

constexpr const char* kValidation = "SIDECORE_VALIDATION";

using Pipe = std::array<int, 2>;

Pipe make_pipe() {
  Pipe ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
  return ends;
}

[[noreturn]] void become(const std::vector<std::string>& argv, const Environment& changes,
                         const Pipe& out, const Pipe& err) {
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out[1], STDOUT_FILENO);
  ::dup2(err[1], STDERR_FILENO);
  std::signal(SIGINT, SIG_DFL);  // the signal may be ignored if the tests run in the background
  ::setenv(kValidation, "0", 1);
  for (const auto& [name, value] : changes) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  words.reserve(argv.size() + 1);
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(127);
}

bool drain(int fd, std::string& text) {
  std::array<char, 4096> chunk{};
  const ssize_t n = ::read(fd, chunk.data(), chunk.size());
  if (n > 0) text.append(chunk.data(), static_cast<std::size_t>(n));
  return n > 0 || (n < 0 && errno == EINTR);
}

}  // namespace

Environment heard_by_validation() {
  const char* const wanted = std::getenv(kValidation);
  return {{kValidation, wanted == nullptr ? "0" : wanted}};
}

CommandResult run_command(const std::vector<std::string>& argv, const Environment& changes,
                          const std::function<bool()>& interrupt_when) {
  const Pipe out = make_pipe();
  const Pipe err = make_pipe();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(argv, changes, out, err);
  ::close(out[1]);
  ::close(err[1]);

  CommandResult result;
  bool out_open = true;
  bool err_open = true;
  bool interrupted = !interrupt_when;
  while (out_open || err_open) {
    if (!interrupted && interrupt_when()) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
    std::array<pollfd, 2> ready{pollfd{out_open ? out[0] : -1, POLLIN, 0},
                                pollfd{err_open ? err[0] : -1, POLLIN, 0}};
    if (::poll(ready.data(), ready.size(), 10) <= 0) continue;
    if (ready[0].revents != 0) out_open = drain(out[0], result.out);
    if (ready[1].revents != 0) err_open = drain(err[0], result.err);
  }
  ::close(out[0]);
  ::close(err[0]);
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  return result;
}

}  // namespace sidecore::test
