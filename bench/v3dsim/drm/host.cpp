// Runs a program, usually an emulator. The device preloaded into it sends its jobs to this process.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "base/error.h"
#include "v3dsim/drm/executor_socket.h"

namespace {

using namespace sidecore;

[[noreturn]] void become(char** command, int socket) {
  // The program inherits this end of the socket, and the preloaded library gets its number.
  fcntl(socket, F_SETFD, 0);
  const std::string name = std::string(v3dsim::kSettingsPrefix) + "EXECUTOR";
  setenv(name.c_str(), std::to_string(socket).c_str(), 1);
  execvp(command[0], command);
  fmt::print(stderr, "v3dsim_host: {}: {}\n", command[0], strerror(errno));
  _exit(static_cast<int>(ErrorKind::environment));
}

int status_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // Base of a shell's exit status for a signal: status = base + signal number.
  constexpr int kSignalBase = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

int run(char** command) {
  v3dsim::ExecutorRunner runner(v3dsim::settings_from_environment());
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    throw errno_error(ErrorKind::environment, "cannot make a socket", errno);
  }
  const pid_t child = fork();
  if (child < 0) throw errno_error(ErrorKind::environment, "cannot start a process", errno);
  if (child == 0) become(command, sockets[1]);
  close(sockets[1]);
  // SIGINT is ignored here, because the terminal's interrupt reaches the program too and this
  // process ends after the program.
  std::signal(SIGINT, SIG_IGN);
  std::exception_ptr broken;
  try {
    v3dsim::serve_jobs(sockets[0], runner);
  } catch (...) {
    broken = std::current_exception();
  }
  // Closing the socket ends a program that still waits for an answer.
  close(sockets[0]);
  const int status = status_of(child);
  if (broken) std::rethrow_exception(broken);
  runner.write_report();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "Usage: v3dsim_host COMMAND [ARGUMENT]...\n");
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    return run(argv + 1);
  } catch (const Error& error) {
    fmt::print(stderr, "v3dsim_host: {}\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "v3dsim_host: {}\n", error.what());
    return static_cast<int>(ErrorKind::environment);
  }
}
