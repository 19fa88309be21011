// Result files that are whole or absent.
#pragma once

#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace sidecore {

/// A file written under a temporary name beside its target and renamed onto it by commit().
/// Destroyed without commit(), it leaves nothing behind; so does each of kEndingSignals when
/// remove_unfinished_files_on_signals() was called.
/// The path "-" means standard output; it is written directly, and commit() flushes it.
/// An existing target that is not a regular file (a pipe, /dev/null) is written directly as well,
/// and so is an open descriptor's name (/dev/stdout, /proc/PID/fd/N). A symbolic link stays one:
/// what it leads to is written.
class AtomicFile {
 public:
  /// Throws Error (usage) when the directory is missing or not writable, or the path is a
  /// directory.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  /// Throws Error (environment) when the disk is full or the pipe is closed.
  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);

  /// Flushes, syncs and renames. Throws Error (environment); then the target is untouched.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether an AtomicFile of this path writes to standard output: "-", /dev/stdout or another name
/// of descriptor 1. Whoever writes there a document prints nothing else. Throws as AtomicFile for a
/// path whose directory is missing.
[[nodiscard]] bool is_standard_output(const std::filesystem::path& path);

/// The signals by which users, batch systems and limits of time end a process, those of timers
/// that it has not set among them.
inline constexpr std::array kEndingSignals{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGXCPU,
                                           SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF};

/// Installs handlers for kEndingSignals that unlink every unfinished AtomicFile and then end the
/// process by the same signal. One that is ignored, as under nohup, stays ignored. Call once, at
/// the start of a program.
void remove_unfinished_files_on_signals();

}  // namespace sidecore
