// Runs code in a child process made by fork().
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace sidecore::test {

/// Runs `check` in a child process, which SIGALRM ends after 30 s. Returns the result of `check`,
/// or a description of how the child ended.
template <class Check>
std::string in_child(const Check& check) {
  int pipe[2];
  EXPECT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    const std::string said = check();
    const bool written = ::write(pipe[1], said.data(), said.size()) == ssize_t(said.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string said(1000, '\0');
  const ssize_t bytes = ::read(pipe[0], said.data(), said.size());
  said.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  ::close(pipe[0]);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  return said;
}

}  // namespace sidecore::test
