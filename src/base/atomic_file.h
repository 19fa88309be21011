// Writes result files that are either complete or absent.
#pragma once

#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace sidecore {

/// A file that is written under a temporary name beside its target and renamed to it by commit().
/// If it is destroyed without commit(), no file remains. The same holds if a signal of
/// kEndingSignals ends the process, provided that remove_unfinished_files_on_signals() was called.
///
/// The path "-" means standard output, which is written directly; commit() flushes it. Also written
/// directly: an existing target that is not a regular file (a pipe, /dev/null), and a name of an
/// open descriptor (/dev/stdout, /proc/PID/fd/N). If the path is a symbolic link, the file that it
/// points to is written and the link remains.
class AtomicFile {
 public:
  /// Opens the file. Throws Error (usage) if the directory is missing or not writable, or if the
  /// path is a directory.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;

  /// Appends text. Throws Error (environment) if the disk is full or the pipe is closed.
  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);

  /// Flushes, syncs and renames the file. Throws Error (environment), and then the target is
  /// unchanged.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns true if an AtomicFile of this path writes to standard output: "-", /dev/stdout or
/// another name of descriptor 1. A command that writes a document to standard output must print
/// nothing else to it. Throws as AtomicFile does if the path's directory is missing.
[[nodiscard]] bool is_standard_output(const std::filesystem::path& path);

/// Signals that users, batch systems, limits and timers set from outside use to end a process.
inline constexpr std::array kEndingSignals{SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGXCPU,
                                           SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF};

/// Installs handlers for kEndingSignals that remove every unfinished AtomicFile and then end the
/// process by the same signal. An ignored signal stays ignored, for example under nohup. Call it
/// once, at the start of the program.
void remove_unfinished_files_on_signals();

}  // namespace sidecore
