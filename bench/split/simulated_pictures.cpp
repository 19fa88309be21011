#include "split/simulated_pictures.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "base/error.h"

extern char** environ;

namespace sidecore::split {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "scripts/v3dsim-picture";
constexpr const char* kScriptVariable = "SIDECORE_V3DSIM_PICTURE";

fs::path script() {
  if (const char* const named = std::getenv(kScriptVariable)) return named;
  std::error_code none;
  fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / kScript, none)) return folder / kScript;
    if (folder == folder.root_path()) break;
  }
  throw environment_error(
      "a model of a Pi's QPU needs the simulated V3D of a source tree, and this program lies in "
      "none: make the model's file there with {}",
      kScript);
}

/// A file that is deleted with this object.
class TemporaryFile {
 public:
  TemporaryFile() : path_(fs::temp_directory_path() / "sidecore-picture-model-XXXXXX") {
    std::string name = path_.string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) throw errno_error(ErrorKind::environment, "cannot make a file", errno);
    close(descriptor);
    path_ = name;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Its exit status, or 128 and the signal. What it prints for people is dropped, errors are not.
int run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw errno_error(ErrorKind::environment, fmt::format("cannot start {}", words[0]), failed);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignalBase = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
}

}  // namespace

std::size_t packets_to_simulate(const Stream& stream) {
  constexpr double kIntra = 1;
  constexpr double kOthers = 3;
  double intra = 0;
  double others = 0;
  std::size_t frame = 0;
  while (frame < stream.sample_frames && (intra < kIntra || others < kOthers)) {
    const FrameWork& work = stream.work[frame++];
    if (!work.repeated) (work.kind == FrameKind::intra ? intra : others) += 1;
  }
  return frame == 0 ? 1 : stream.frames[frame - 1].packet + 1;
}

PictureModel simulate_pictures(const std::string& clip, std::size_t packets, std::string_view v3d) {
  if (!fs::is_regular_file(clip)) {
    throw usage_error("{}: a model of a Pi needs the stream in a file, to simulate its pictures",
                      clip);
  }
  const TemporaryFile file;
  const fs::path program = script();
  const int status = run({program.string(), "--v3d", std::string(v3d), "--json",
                          file.path().string(), "--back-end", clip, std::to_string(packets)});
  if (status != 0) {
    throw environment_error("{} ended with status {}: see above", program.string(), status);
  }
  return read_picture_model(file.path());
}

}  // namespace sidecore::split
