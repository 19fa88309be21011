// The timing model of the simulated V3D 7.1 beside what others published of one Raspberry Pi 5.
// Reads the dispatches that scripts/v3dsim-calibration recorded, counts them again, and prints a
// Markdown table. A model: nothing in it was measured here.
#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "base/error.h"
#include "v3dsim/drm/job_capture.h"
#include "v3dsim/executor.h"
#include "v3dsim/model.h"

namespace {

using namespace sidecore;
using namespace sidecore::v3dsim;

/// A published time of a dispatch that can be made again.
struct Published {
  const char* file;  ///< in the directory of the recorded dispatches
  const char* what;
  double clock_hz;  ///< of the board it was measured on
  double seconds;   ///< submission overhead included
};

constexpr Published kPublished[] = {
    // py-videocore7's copy of 24 Mi words, vectors of four, 12 threads: 4142 MB/s of payload.
    {"copy.jobs", "copy of 24 Mi words in vectors of 4", 800e6, 0.02430},
    // daedalus-fourier's k2: 65,536 packed edges, bytes, 8.1 % of the rows filtered.
    {"loop_filter.jobs", "VP9 loop filter h_4_8, bytes, 65,536 edges", 1000e6, 3336e-6},
};

/// Where the published time lies in the model's interval.
std::string position(double seconds, const Interval& model) {
  if (seconds < model.low) return fmt::format("{:.1f} % below", (1 - seconds / model.low) * 100);
  if (seconds > model.high) return fmt::format("{:.1f} % above", (seconds / model.high - 1) * 100);
  return "inside";
}

void print_row(const Published& published, const std::filesystem::path& directory) {
  const auto jobs = read_jobs(directory / published.file);
  if (jobs.size() != 1) throw usage_error("{} holds {} jobs, not 1", published.file, jobs.size());
  CapturedMemory memory(jobs[0]);
  Machine machine = pi5();
  machine.clock_hz = published.clock_hz;
  Executor executor(machine, {});
  const Statistics counted = executor.run(jobs[0].job, memory);
  const ModelTime time = model_time(counted, machine);
  fmt::print(
      "| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} .. {:.2f} | {} .. {} | {} |\n", published.what,
      counted.threads, counted.per_thread(counted.instructions),
      counted.per_thread(counted.tmu.total(TmuKind::load) + counted.tmu.total(TmuKind::store)),
      published.seconds * 1e3, time.seconds.low * 1e3, time.seconds.high * 1e3,
      bound_name(time.low_bound), bound_name(time.high_bound),
      position(published.seconds, time.seconds));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "Usage: v3dsim_calibration DIRECTORY; scripts/v3dsim-calibration runs it\n");
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    fmt::print(
        "| dispatch | threads | instructions a thread | requests a thread | published, ms | "
        "model, ms | bounds that won | published lies |\n|---|---|---|---|---|---|---|---|\n");
    for (const Published& published : kPublished) print_row(published, argv[1]);
  } catch (const Error& error) {
    fmt::print(stderr, "v3dsim_calibration: {}\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "v3dsim_calibration: {}\n", error.what());
    return static_cast<int>(ErrorKind::failed);
  }
  return 0;
}
