#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace sidecore {
namespace {

namespace fs = std::filesystem;

// Slot for the name of an unfinished file, which a signal handler can read. The storage is fixed,
// and a flag publishes each slot. A file beyond the last slot still works, but a signal does not
// remove it.
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

[[noreturn]] void refuse(const fs::path& path, int cause) {
  throw errno_error(ErrorKind::usage, fmt::format("cannot write '{}'", path.native()), cause);
}

// Returns true for /proc/PID/fd, because its entries are open files and not names.
bool holds_descriptors(const fs::path& directory) {
  return directory.native().starts_with("/proc/") && directory.filename() == "fd";
}

// Returns the path that `path` leads to, which is not a symbolic link and may not exist yet.
fs::path follow_links(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // largest number of links; Linux has the same limit
  fs::path name = path;
  for (int link = 0; link <= kMaxLinks; ++link) {
    std::error_code error;
    const fs::path parent = name.has_parent_path() ? name.parent_path() : fs::path(".");
    const fs::path directory = fs::canonical(parent, error);
    if (error) refuse(path, error.value());
    fs::path place = directory / name.filename();
    if (holds_descriptors(directory)) return place;
    const fs::path next = fs::read_symlink(place, error);
    if (error) return place;
    name = directory / next;
  }
  refuse(path, ELOOP);
}

// Opens an existing target for writing. If the name is one of this process's own descriptors, the
// result is a duplicate, which continues at the original's position.
int open_directly(const fs::path& target) {
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/fd", error);
  const std::string name = target.filename();
  int number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (!error && target.parent_path() == own && parsed.ec == std::errc())
    return ::fcntl(number, F_DUPFD_CLOEXEC, 0);
  return ::open(target.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
}

// Creates a file named `target` with a random suffix and stores its name. The kernel applies the
// umask to `mode`, as for any new file. Reading the umask would change it for the process's other
// threads.
int create_beside(const fs::path& target, mode_t mode, std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz012345";
  for (;;) {
    std::array<unsigned char, 8> random{};
    if (::getrandom(random.data(), random.size(), 0) < 0) return -1;
    name = target.native() + ".";
    for (const unsigned char value : random) name += kLetters[value % kLetters.size()];
    const int fd = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
}

}  // namespace

struct AtomicFile::State {
  fs::path path;          // path as the caller gave it, for messages
  fs::path target;        // path of the file after links are followed
  std::string temporary;  // name of the temporary file; empty if the target is written directly
  UnfinishedSlot* slot = nullptr;
  int fd = -1;
  bool owns_fd = false;

  ~State() {
    if (fd >= 0 && owns_fd) ::close(fd);
    if (!temporary.empty()) ::unlink(temporary.c_str());
    release_slot(slot);
  }
};

bool is_standard_output(const fs::path& path) {
  if (path == "-") return true;
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/fd", error);
  return !error && follow_links(path) == own / std::to_string(STDOUT_FILENO);
}

AtomicFile::AtomicFile(fs::path path) : state_(std::make_unique<State>()) {
  state_->path = std::move(path);
  if (state_->path == "-") {
    state_->fd = STDOUT_FILENO;
    return;
  }
  state_->target = follow_links(state_->path);
  state_->owns_fd = true;
  struct stat info {};
  const bool exists = ::stat(state_->target.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) {
    throw usage_error("cannot write '{}': it is a directory", state_->path.native());
  }
  if (holds_descriptors(state_->target.parent_path()) || (exists && !S_ISREG(info.st_mode))) {
    state_->fd = open_directly(state_->target);
    if (state_->fd < 0) refuse(state_->path, errno);
    return;
  }
  std::string name;
  state_->fd = create_beside(state_->target, exists ? info.st_mode & 0777U : 0666U, name);
  if (state_->fd < 0) refuse(state_->path, errno);
  state_->temporary = name;
  state_->slot = claim_slot(name);
  // Corrects the mode, because the umask may have reduced it.
  if (exists) ::fchmod(state_->fd, info.st_mode & 0777U);
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
                        fmt::format("cannot write '{}'", state_->path.native()), errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (state_->temporary.empty()) return;
  const bool synced = ::fsync(state_->fd) == 0 || errno == EINVAL;
  if (!synced || ::rename(state_->temporary.c_str(), state_->target.c_str()) != 0) {
    throw errno_error(ErrorKind::environment,
                      fmt::format("cannot write '{}'", state_->path.native()), errno);
  }
  release_slot(std::exchange(state_->slot, nullptr));
  state_->temporary.clear();
}

void remove_unfinished_files_on_signals() {
  for (const int signal_number : kEndingSignals) {
    struct sigaction action {};
    ::sigaction(signal_number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remove_and_die;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal_number, &action, nullptr);
  }
}

}  // namespace sidecore
