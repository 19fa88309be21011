// Runs captured jobs again and prints the words that differ. There are none unless the executor has
// changed, or the simulator's switches disturb what a job may rely on.
#include <cstdio>
#include <span>

#include "base/error.h"
#include "v3dsim/drm/job_capture.h"
#include "v3dsim/drm/settings.h"
#include "v3dsim/executor.h"

namespace {

using namespace sidecore;
using namespace sidecore::v3dsim;

constexpr std::size_t kMaxShown = 8;  ///< maximum number of words that are printed per buffer

/// Prints the words of one buffer that differ, and returns their number.
std::size_t report(const std::string& job, const CapturedBuffer& buffer,
                   std::span<const std::uint32_t> found) {
  const std::vector<std::uint32_t> expected = words_after(buffer);
  std::size_t different = 0;
  std::string shown;
  for (std::size_t at = 0; at < expected.size(); ++at) {
    if (expected[at] == found[at]) continue;
    if (different++ < kMaxShown) {
      shown += fmt::format("  +{:#x}: {:08x}, was {:08x}\n", at * 4, found[at], expected[at]);
    }
  }
  if (different == 0) return 0;
  std::size_t written = 0;
  for (const WordRun& run : buffer.changed) written += run.words.size();
  fmt::print("{}, buffer of {} bytes at {:#x}: {} words differ; the job changed {}\n{}{}", job,
             buffer.range.size, buffer.range.address, different, written, shown,
             different > kMaxShown ? "  ...\n" : "");
  return different;
}

std::size_t replay(const std::string& name, const CapturedJob& captured, const Options& options) {
  CapturedMemory memory(captured);
  Executor executor(captured.version == Version::v42 ? pi4() : pi5(), options);
  executor.run(captured.job, memory);
  std::size_t different = 0;
  for (std::size_t i = 0; i < captured.buffers.size(); ++i) {
    different += report(name, captured.buffers[i], memory.words(i));
  }
  return different;
}

int run(std::span<char*> paths) {
  const Options options = settings_from_environment().options;
  std::size_t jobs = 0, words = 0;
  for (const char* path : paths) {
    std::size_t number = 0;
    for (const CapturedJob& captured : read_jobs(path)) {
      words += replay(fmt::format("{} job {}", path, ++number), captured, options);
      ++jobs;
    }
  }
  fmt::print("{} jobs, {} words differ\n", jobs, words);
  return words == 0 ? 0 : static_cast<int>(ErrorKind::failed);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "Usage: v3dsim_replay FILE...\nFiles that SIDECORE_V3DSIM_RECORD wrote.\n");
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    return run(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
  } catch (const Error& error) {
    fmt::print(stderr, "v3dsim_replay: {}\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {  // the error is a Fault, or memory ran out
    fmt::print(stderr, "v3dsim_replay: {}\n", error.what());
    return static_cast<int>(ErrorKind::failed);
  }
}
