#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"

namespace sidecore {
namespace {

// Names of unfinished files, readable from a signal handler: fixed storage, each slot published by
// its flag. A file beyond the last slot still works; only its removal on a signal is lost.
struct UnfinishedSlot {
  std::atomic<bool> taken{false};
  std::atomic<bool> named{false};
  std::array<char, 4096> name{};
};
std::array<UnfinishedSlot, 16> g_unfinished;

UnfinishedSlot* claim_slot(const std::string& name) {
  for (UnfinishedSlot& slot : g_unfinished) {
    if (name.size() >= slot.name.size()) return nullptr;
    if (slot.taken.exchange(true)) continue;
    std::memcpy(slot.name.data(), name.c_str(), name.size() + 1);
    slot.named.store(true, std::memory_order_release);
    return &slot;
  }
  return nullptr;
}

void release_slot(UnfinishedSlot* slot) {
  if (slot == nullptr) return;
  slot->named.store(false, std::memory_order_release);
  slot->taken.store(false);
}

void remove_and_die(int signal_number) {
  for (UnfinishedSlot& slot : g_unfinished) {
    if (slot.named.load(std::memory_order_acquire)) ::unlink(slot.name.data());
  }
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

}  // namespace

struct AtomicFile::State {
  std::filesystem::path target;
  std::string temporary;  // empty when written directly
  UnfinishedSlot* slot = nullptr;
  int fd = -1;
  bool owns_fd = false;

  ~State() {
    if (fd >= 0 && owns_fd) ::close(fd);
    if (!temporary.empty()) ::unlink(temporary.c_str());
    release_slot(slot);
  }
};

AtomicFile::AtomicFile(std::filesystem::path path) : state_(std::make_unique<State>()) {
  state_->target = std::move(path);
  const std::string& target = state_->target.native();
  if (target == "-") {
    state_->fd = STDOUT_FILENO;
    return;
  }
  struct stat info {};
  if (::stat(target.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) throw usage_error("cannot write '{}': it is a directory", target);
    if (!S_ISREG(info.st_mode)) {
      state_->fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
      if (state_->fd < 0) {
        throw errno_error(ErrorKind::usage, fmt::format("cannot write '{}'", target), errno);
      }
      state_->owns_fd = true;
      return;
    }
  }
  std::string name = target + ".XXXXXX";
  state_->fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (state_->fd < 0) {
    throw errno_error(ErrorKind::usage, fmt::format("cannot write '{}'", target), errno);
  }
  state_->owns_fd = true;
  state_->temporary = name;
  state_->slot = claim_slot(name);
  // mkostemp makes the file private; results are for sharing, as the user's umask allows.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(state_->fd, 0666 & ~mask);
}

AtomicFile::~AtomicFile() = default;
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(state_->fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw errno_error(ErrorKind::environment,
                        fmt::format("cannot write '{}'", state_->target.native()), errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (state_->temporary.empty()) return;
  const std::string& target = state_->target.native();
  if (::fsync(state_->fd) != 0 && errno != EINVAL) {
    throw errno_error(ErrorKind::environment, fmt::format("cannot write '{}'", target), errno);
  }
  if (::rename(state_->temporary.c_str(), target.c_str()) != 0) {
    throw errno_error(ErrorKind::environment, fmt::format("cannot write '{}'", target), errno);
  }
  release_slot(std::exchange(state_->slot, nullptr));
  state_->temporary.clear();
}

void remove_unfinished_files_on_signals() {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    action.sa_handler = remove_and_die;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal_number, &action, nullptr);
  }
}

}  // namespace sidecore
