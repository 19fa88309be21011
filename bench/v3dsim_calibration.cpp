// The timing model of the simulated V3D 7.1 beside what others published of one Raspberry Pi 5:
// fits the schedule's constants to all of it, and predicts each figure by constants fitted to the
// others. Reads the dispatches that scripts/v3dsim-calibration recorded, runs them, and prints
// Markdown tables. A model: nothing in it was measured here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>

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
  double seconds;            ///< submission included
  double clock_hz;           ///< of the board
  unsigned threads_per_qpu;  ///< of the program that was timed: our compiler may find room for more
  /// False of what is only predicted: other programs than the one that was timed (copies), designs
  /// that are guessed (CDEF keeps two tables in scratch memory here, as 387 instructions suggest),
  /// and the deblocking, so short that its authors suspect a clock that had not risen.
  bool fitted;
};

constexpr Published kPublished[] = {
    {"inverse_dct_64.jobs", "VP9 inverse DCT 8x8, version 2, workgroups of 64", 8421e-6, 1e9, 2,
     true},
    {"inverse_dct_256.jobs", "the same, version 4, workgroups of 256", 4211e-6, 1e9, 2, true},
    {"loop_filter_4.jobs", "VP9 loop filter, 4 wide", 3336e-6, 1e9, 4, true},
    {"loop_filter_8.jobs", "VP9 loop filter, 8 wide", 3672e-6, 1e9, 4, true},
    {"prediction.jobs", "VP9 8-tap prediction, horizontal", 46390e-6, 1e9, 2, true},
    {"cdef.jobs", "AV1 CDEF 8x8", 9241e-6, 1e9, 2, false},
    {"deblock_h264.jobs", "H.264 luma deblocking", 728e-6, 1e9, 4, false},
    {"copy_1.jobs", "copy of 24 Mi words by 1 thread", 59580e-6, 0.8e9, 2, false},
    {"copy_12.jobs", "copy of 24 Mi words by 12 threads", 24300e-6, 0.8e9, 2, false},
};

/// The supergroups that stand for a dispatch; the others do the same with other data.
constexpr std::size_t kSample = 8;

/// The first supergroups of a dispatch.
class Sample final : public TraceSink {
 public:
  void supergroup(std::span<Trace> threads) override {
    ++count_;
    if (kept_.size() < kSample) kept_.emplace_back(threads.begin(), threads.end());
  }
  /// Cycles of the whole dispatch, as the sample has it.
  [[nodiscard]] double cycles(const ScheduleConstants& constants, unsigned threads_per_qpu) const {
    Schedule schedule(pi5(), constants, threads_per_qpu);
    for (const std::vector<Trace>& threads : kept_) {
      std::vector<Trace> copy = threads;
      schedule.supergroup(copy);
    }
    return schedule.finish() * static_cast<double>(count_) / static_cast<double>(kept_.size());
  }

 private:
  std::vector<std::vector<Trace>> kept_;
  std::size_t count_ = 0;
};

struct Figure {
  Published published;
  Statistics counted;
  Sample sample;

  [[nodiscard]] double seconds(const ScheduleConstants& constants) const {
    return sample.cycles(constants, published.threads_per_qpu) / published.clock_hz +
           ModelConstants{}.dispatch_overhead_seconds;
  }
  /// The logarithm of predicted over published.
  [[nodiscard]] double miss(const ScheduleConstants& constants) const {
    return std::log(seconds(constants) / published.seconds);
  }
};

Figure read_figure(const Published& published, const std::filesystem::path& directory) {
  const auto jobs = read_jobs(directory / published.file);
  if (jobs.size() != 1) throw usage_error("{} holds {} jobs, not 1", published.file, jobs.size());
  CapturedMemory memory(jobs[0]);
  Executor executor(pi5(), {});
  Figure figure{published, {}, {}};
  figure.counted = executor.run(jobs[0].job, memory, &figure.sample);
  return figure;
}

/// Constants, and by how much they miss each fitted figure.
struct Candidate {
  ScheduleConstants constants;
  std::vector<double> misses;
};

std::vector<Candidate> candidates(const std::vector<Figure>& figures) {
  std::vector<Candidate> all;
  ScheduleConstants constants;
  for (const unsigned supergroups : {1U, 2U}) {
    for (const double latency : {20.0, 40.0, 80.0, 160.0}) {
      for (const double request : {0.0, 4.0, 8.0, 12.0}) {
        for (const double line : {5.0, 5.5, 6.0, 6.5, 7.0}) {
          constants.supergroups = supergroups;
          constants.latency = latency;
          constants.request = request;
          constants.line = line;
          Candidate candidate{constants, {}};
          for (const Figure& figure : figures) {
            if (figure.published.fitted) candidate.misses.push_back(figure.miss(constants));
          }
          all.push_back(std::move(candidate));
        }
      }
    }
  }
  return all;
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// The candidate that misses the figures least, in the mean of squares, but for `left_out`.
const Candidate& best(const std::vector<Candidate>& all, std::size_t left_out) {
  const auto square_sum = [&](const Candidate& candidate) {
    double sum = 0;
    for (std::size_t i = 0; i < candidate.misses.size(); ++i) {
      if (i != left_out) sum += candidate.misses[i] * candidate.misses[i];
    }
    return sum;
  };
  return *std::ranges::min_element(all, {}, square_sum);
}

void print_constants(const Candidate& fit) {
  const ScheduleConstants& c = fit.constants;
  fmt::print("Fitted: {} supergroup at once, {} cycles a request, {} a line, {} of latency.\n\n",
             c.supergroups, c.request, c.line, c.latency);
}

double percent(double miss) {
  return (std::exp(miss) - 1) * 100;
}

/// Prints the table; returns by how much the model missed each figure.
std::vector<double> print_rows(const std::vector<Figure>& figures,
                               const std::vector<Candidate>& all) {
  const ModelConstants model = model_constants(pi5());
  fmt::print(
      "| dispatch | threads | instructions a thread | requests a thread | published, ms | "
      "predicted, ms | interval, ms | error | published lies "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  std::vector<double> misses;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = figures[i];
    const Candidate& others = best(all, figure.published.fitted ? i : kNone);
    const double seconds = figure.seconds(others.constants);
    const double fixed = model.dispatch_overhead_seconds;
    const double low = (seconds - fixed) * model.low_factor + fixed;
    const double high = (seconds - fixed) * model.high_factor + fixed;
    misses.push_back(std::log(seconds / figure.published.seconds));
    const Statistics& s = figure.counted;
    fmt::print(
        "| {} | {} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.2f} .. {:.2f} | {:+.0f} % | {} |\n",
        figure.published.what, s.threads, s.per_thread(s.instructions),
        s.per_thread(s.tmu.total(TmuKind::load) + s.tmu.total(TmuKind::store)),
        figure.published.seconds * 1e3, seconds * 1e3, low * 1e3, high * 1e3,
        percent(misses.back()),
        figure.published.seconds < low    ? "below"
        : figure.published.seconds > high ? "above"
                                          : "inside");
  }
  return misses;
}

int run(const std::filesystem::path& directory) {
  std::vector<Figure> figures;
  for (const Published& published : kPublished)
    figures.push_back(read_figure(published, directory));
  const std::vector<Candidate> all = candidates(figures);
  const Candidate& fit = best(all, kNone);
  print_constants(fit);
  std::vector<double> misses = print_rows(figures, all);
  for (double& miss : misses) miss = std::abs(percent(miss));
  std::ranges::sort(misses);
  fmt::print("\nOf the {} dispatches: median error {:.0f} %, greatest {:.0f} %.\n", misses.size(),
             misses[misses.size() / 2], misses.back());
  const ScheduleConstants used;
  const ScheduleConstants& found = fit.constants;
  if (used.request != found.request || used.line != found.line || used.latency != found.latency ||
      used.supergroups != found.supergroups) {
    throw Error(ErrorKind::failed, "the model's constants are not those that fit");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "Usage: v3dsim_calibration DIRECTORY; scripts/v3dsim-calibration runs it\n");
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    return run(argv[1]);
  } catch (const Error& error) {
    fmt::print(stderr, "v3dsim_calibration: {}\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "v3dsim_calibration: {}\n", error.what());
    return static_cast<int>(ErrorKind::failed);
  }
}
