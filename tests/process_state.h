// State of the process that a library must not change: umask, signals, open descriptors, locale and
// environment.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <locale>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sidecore::test {

class ProcessState {
 public:
  /// Records the current state; blocked signals are those of the calling thread.
  ProcessState() : status_(settings_of("/proc/thread-self/status")) {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      threads_.insert(thread.path().filename());
    }
    std::set<std::string> numbers;
    for (const auto& descriptor : std::filesystem::directory_iterator("/proc/self/fd")) {
      numbers.insert(descriptor.path().filename());
    }
    std::error_code gone;  // ignored: the iterator's own descriptor is closed by now
    for (const std::string& number : numbers) {
      const std::filesystem::path file =
          std::filesystem::read_symlink("/proc/self/fd/" + number, gone);
      if (!gone) descriptors_[number] = file;
    }
    for (char** variable = environ; *variable != nullptr; ++variable) {
      environment_.emplace_back(*variable);
    }
  }

  /// Expects the recorded state, and no additional open descriptor.
  void expect_unchanged() const {
#ifndef SIDECORE_SANITIZED  // a sanitizer's runtime keeps pipes to its symboliser process
    const ProcessState now;
    EXPECT_EQ(now.descriptors_, descriptors_);
#endif
    expect_unchanged_while_used();
  }

  /// Expects the recorded state, but allows the library additional descriptors and threads. These
  /// threads must block all signals.
  void expect_unchanged_while_used() const {
    const ProcessState now;
    EXPECT_EQ(now.status_, status_);
    EXPECT_EQ(now.locale_, locale_);
    EXPECT_EQ(now.cpp_locale_, cpp_locale_);
    EXPECT_EQ(now.environment_, environment_);
    for (const auto& [number, file] : descriptors_) {
      const auto found = now.descriptors_.find(number);
      ASSERT_NE(found, now.descriptors_.end()) << "descriptor " << number << " was closed";
      EXPECT_EQ(found->second, file) << "descriptor " << number;
    }
    for (const std::string& thread : now.threads_) {
      if (!threads_.contains(thread)) expect_no_signals(thread);
    }
  }

  /// Returns the number of threads that did not exist when the state was recorded.
  [[nodiscard]] std::size_t new_threads() const {
    const ProcessState now;
    return static_cast<std::size_t>(std::ranges::count_if(
        now.threads_, [&](const std::string& thread) { return !threads_.contains(thread); }));
  }

 private:
  using Settings = std::map<std::string, std::string>;

  /// Returns the umask in octal and the masks of blocked, ignored and handled signals. Omits the
  /// two signals that glibc reserves, because it installs their handlers with the first threads.
  static Settings settings_of(const std::string& status) {
    constexpr std::uint64_t kOfLibc = std::uint64_t{3} << 31U;
    Settings settings;
    std::ifstream file(status);
    std::string name;
    std::string value;
    while (file >> name) {
      if (name == "Umask:") {
        file >> settings[name];
      } else if (name == "SigBlk:" || name == "SigIgn:" || name == "SigCgt:") {
        file >> value;
        settings[name] = std::to_string(std::stoull(value, nullptr, 16) & ~kOfLibc);
      }
    }
    return settings;
  }

  static void expect_no_signals(const std::string& thread) {
    Settings settings = settings_of("/proc/self/task/" + thread + "/status");
    if (!settings.contains("SigBlk:")) return;  // skipped, because the thread has ended
    const std::uint64_t mask = std::stoull(settings["SigBlk:"]);
    std::string taken;
    for (const int number :
         {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGCHLD, SIGCONT,
          SIGTSTP, SIGURG, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGWINCH, SIGIO}) {
      if ((mask >> (number - 1) & 1) == 0) taken += " " + std::to_string(number);
    }
    EXPECT_EQ(taken, "") << "signals that thread " << thread << " takes";
  }

  Settings status_;
  std::set<std::string> threads_;
  std::map<std::string, std::string> descriptors_;
  std::string locale_ = std::setlocale(LC_ALL, nullptr);
  std::string cpp_locale_ = std::locale().name();
  std::vector<std::string> environment_;
};

}  // namespace sidecore::test
