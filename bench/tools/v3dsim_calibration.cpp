// Compares the timing model of the simulated V3D with published times of three Raspberry Pi 5 and
// one Raspberry Pi 4. Fits the schedule's constants to twelve of them, and predicts each of these
// with constants fitted to the others. The constants then predict further times that they were not
// fitted to. Reads and runs the dispatches that scripts/v3dsim-calibration recorded, and prints
// Markdown tables. All values are modelled or published; this program measures nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "v3dsim/drm/job_capture.h"
#include "v3dsim/executor.h"
#include "v3dsim/model.h"

namespace {

using namespace sidecore;
using namespace sidecore::v3dsim;

/// A published time of a dispatch that can be reproduced.
struct Published {
  /// Name of the recorded dispatch, in NAME.jobs; null if the dispatch is only described.
  const char* name;
  const char* what;
  double seconds;  ///< published time in seconds, submission included
  Machine machine;
  /// Number of threads of the published program, of which this Mesa may fit more. The value 0
  /// stands for as many as Mesa fits, because the number is not published.
  unsigned threads_per_qpu;
  /// Traces of the dispatch's threads, each for 1 / `repeats` of its work.
  std::vector<Trace> described{};
  double repeats = 1;       ///< ratio of the published work to the recorded or described work
  double host_seconds = 0;  ///< part of the published time in which the GPU does not work
  bool fitted = true;       ///< true if the constants are fitted to this figure
};

/// Sets the clock: most figures are from a Raspberry Pi 5 at 1 GHz, those of the copies are from
/// one at 800 MHz.
constexpr Machine at(Machine machine, double clock_hz) {
  machine.clock_hz = clock_hz;
  return machine;
}

/// Returns traces of kernels written by hand in machine code. Each thread is a loop over four words
/// per lane, so a request moves four lines. Every round issues `loads` requests, takes their words
/// and issues `stores`. A store evicts as many lines from the cache. The copies request the next
/// round's first lines early, by a request that returns nothing.
std::vector<Trace> streaming(unsigned threads, unsigned rounds, unsigned loads, unsigned stores) {
  using Kind = TraceEvent::Kind;
  Trace trace;
  for (unsigned round = 0; round < rounds; ++round) {
    const bool ahead = loads != 0 && stores != 0;
    for (unsigned i = 0; i < loads; ++i) {
      trace.push_back({1, Kind::load, 4, static_cast<std::uint8_t>(ahead && i == 0 ? 0 : 4), 0});
    }
    if (ahead) trace.push_back({1, Kind::load, 0, 4, 0});
    for (unsigned i = 0; i < 4 * loads; ++i) trace.push_back({1, Kind::take});
    for (unsigned i = 0; i < stores; ++i) {
      trace.push_back({loads == 0 ? 5U : 2U, Kind::store, 4, 4, 4});
    }
    trace.push_back({2, Kind::thread_switch});
  }
  trace.push_back({1, Kind::end});
  return std::vector<Trace>(threads, trace);
}
constexpr unsigned kRounds = 400;

/// Returns the factor by which streaming() must be repeated to move `bytes` in all; a thread moves
/// `bytes_per_round` bytes per round.
constexpr double count_repeats(double bytes, unsigned threads, double bytes_per_round) {
  return bytes / (bytes_per_round * kRounds * threads);
}

/// Returns the time that a waited-for submission of one dispatch takes regardless of its work.
double fixed_seconds(const Machine& machine) {
  const ModelConstants constants = model_constants(machine);
  return constants.dispatch_overhead_seconds + constants.submission_seconds;
}

/// Returns the time in which the host copies the planes of a 1080p picture to the GPU's memory and
/// back. The published times of H.264's seven kernels include it. The author's two times of one
/// deblocking shader give it: 32,640 edges with the copies, and 4,096 edges (`deblock_h264` in
/// published_figures()) without.
double host_copy_seconds(const Machine& machine) {
  const double fixed = fixed_seconds(machine);
  return 467.42e-9 * 32640 - fixed - (728e-6 - fixed) * 32640 / 4096;
}

/// Time in which the GPU's clock rises when work begins: pull request 6611 of
/// github.com/raspberrypi/linux.
constexpr double kClockRiseSeconds = 4.5e-3;

/// Returns traces of one supergroup of the product of packed 16-bit integers,
/// examples/igemm_int16.py of github.com/yiannisha/qpu-xla: 24 workgroups of 16 lanes, each for
/// 16x16 elements of the result. A round multiplies 8 columns of A by 8 rows of B: two requests of
/// four words, and 8 steps of 35 instructions. All workgroups read the same lines of A, so that the
/// first thread fetches them.
std::vector<Trace> integer_product(unsigned size) {
  using Kind = TraceEvent::Kind;
  std::vector<Trace> threads(24);
  for (Trace& trace : threads) {
    const auto a_lines = static_cast<std::uint8_t>(&trace == &threads.front() ? 4 : 0);
    const auto request_both = [&](std::uint32_t before) {
      trace.push_back({before, Kind::load, 4, a_lines, 0});
      trace.push_back({2, Kind::load, 4, 4, 0});
      trace.push_back({1, Kind::thread_switch});
    };
    const auto take_all = [&](std::uint32_t before) {
      for (unsigned i = 0; i < 8; ++i) trace.push_back({i == 0 ? before : 1, Kind::take});
    };
    request_both(20);
    take_all(8);
    for (unsigned round = 0; round < size / 8; ++round) {
      request_both(6);
      take_all(282);
    }
    for (unsigned column = 0; column < 16; ++column) {
      const auto lines = static_cast<std::uint8_t>(column == 0 ? 16 : 0);
      trace.push_back({2, Kind::store, 1, lines, lines});
      trace.push_back({1, Kind::drain});
    }
    trace.push_back({8, Kind::end});
  }
  return threads;
}

/// Returns the figure of the product of two matrices of `size` x `size`.
Published product_figure(const char* what, unsigned size, double gops, const Machine& machine) {
  const double n = size;
  const double supergroups = std::ceil(n / 16 * n / 16 / 24);
  return {nullptr,
          what,
          2 * n * n * n / (gops * 1e9),
          machine,
          2,
          integer_product(size),
          supergroups,
          kClockRiseSeconds,
          false};
}

/// Returns the figure of one of H.264's seven kernels, of which a quarter of a picture is recorded.
Published h264_figure(const char* name, const char* what, double nanoseconds, double units,
                      const Machine& machine) {
  return {name, what, nanoseconds * 1e-9 * units, machine, 0,
          {},   4,    host_copy_seconds(machine), false};
}

std::vector<Published> published_figures() {
  const Machine fast = at(pi5(), 1e9), slow = at(pi5(), 0.8e9);
  constexpr double kMi = 1 << 20;
  return {
      {"inverse_dct_64", "VP9 inverse DCT 8x8, version 2, workgroups of 64", 8421e-6, fast, 2},
      {"inverse_dct_256", "VP9 inverse DCT 8x8, version 4, workgroups of 256", 4211e-6, fast, 2},
      {"loop_filter_4", "VP9 loop filter, 4 wide", 3336e-6, fast, 4},
      {"loop_filter_8", "VP9 loop filter, 8 wide", 3672e-6, fast, 4},
      {"prediction", "VP9 8-tap prediction, horizontal", 46390e-6, fast, 2},
      {"cdef", "AV1 CDEF 8x8", 9241e-6, fast, 2},
      {"deblock_h264", "H.264 luma deblocking", 728e-6, fast, 4},
      {nullptr, "copy of 24 Mi words by 1 thread", 59580e-6, slow, 2, streaming(1, kRounds, 2, 2),
       count_repeats(96 * kMi, 1, 512)},
      {nullptr, "copy of 24 Mi words by 12 threads", 24300e-6, slow, 2,
       streaming(12, kRounds, 2, 2), count_repeats(96 * kMi, 12, 512)},
      {nullptr, "V3D 4.2: sum of 32 Mi words", 18534e-6, pi4(), 2, streaming(8, kRounds, 2, 0),
       count_repeats(128 * kMi, 8, 512)},
      {nullptr, "V3D 4.2: 64 MiB set to a value", 17888e-6, pi4(), 2, streaming(8, kRounds, 0, 2),
       count_repeats(64 * kMi, 8, 512)},
      {nullptr, "V3D 4.2: copy of 16 Mi words", 27688e-6, pi4(), 2, streaming(8, kRounds, 2, 2),
       count_repeats(64 * kMi, 8, 512)},
      h264_figure("idct4_h264", "H.264 inverse transform 4x4", 217.63, 130560, fast),
      h264_figure("idct8_h264", "H.264 inverse transform 8x8", 785.94, 32640, fast),
      h264_figure("deblock_h264_v", "H.264 deblocking, horizontal edges", 467.42, 32640, fast),
      h264_figure("deblock_h264_h", "H.264 deblocking, vertical edges", 498.53, 32640, fast),
      h264_figure("prediction_h264_0", "H.264 prediction 8x8, along x", 1300.44, 32640, fast),
      h264_figure("prediction_h264_1", "H.264 prediction 8x8, along y", 1363.40, 32640, fast),
      h264_figure("prediction_h264_2", "H.264 prediction 8x8, along x and y", 1948.37, 32640, fast),
      product_figure("integer product of 256x256", 256, 6.30, pi5()),
      product_figure("integer product of 512x512", 512, 16.82, pi5()),
      product_figure("integer product of 768x768", 768, 20.49, pi5()),
      product_figure("integer product of 1024x1024", 1024, 21.67, pi5()),
  };
}

/// A sample of a dispatch's supergroups, evenly spread, that represents the dispatch.
class Sample final : public TraceSink {
 public:
  Sample() = default;
  explicit Sample(std::vector<Trace> threads) : kept_{std::move(threads)}, count_(1) {}

  void supergroup(std::span<Trace> threads) override {
    if (count_++ % stride_ != 0) return;
    kept_.emplace_back(threads.begin(), threads.end());
    if (kept_.size() < 2 * kMinKept) return;
    for (std::size_t i = 1; i < kMinKept; ++i) kept_[i] = std::move(kept_[2 * i]);
    kept_.resize(kMinKept);
    stride_ *= 2;
  }
  /// Returns the cycles of the whole dispatch, extrapolated from the sample.
  [[nodiscard]] double cycles(const Machine& machine, const ScheduleConstants& constants,
                              unsigned threads_per_qpu) const {
    Schedule schedule(machine, constants, threads_per_qpu);
    for (const std::vector<Trace>& threads : kept_) {
      std::vector<Trace> copy = threads;
      schedule.supergroup(copy);
    }
    return schedule.finish() * static_cast<double>(count_) / static_cast<double>(kept_.size());
  }

 private:
  static constexpr std::size_t kMinKept = 8;
  std::vector<std::vector<Trace>> kept_;
  std::size_t count_ = 0, stride_ = 1;
};

/// Fitted constants.
struct Constants {
  unsigned supergroups = 1;
  double request = 0, word = 0, start = 0;        ///< costs in cycles
  MemorySeconds memory{};                         ///< memory times of V3D 7.1
  double line42 = 0;                              ///< seconds per line on V3D 4.2
  bool operator==(const Constants& other) const;  ///< compares the values up to rounding

  [[nodiscard]] ScheduleConstants on(const Machine& machine) const {
    ScheduleConstants constants;
    constants.supergroups = supergroups;
    constants.request = request;
    constants.word = word;
    constants.start = start;
    constants.line = (machine.version == Version::v42 ? line42 : memory.line) * machine.clock_hz;
    constants.latency = memory.latency * machine.clock_hz;
    return constants;
  }
};

bool Constants::operator==(const Constants& other) const {
  const auto same = [](double a, double b) { return std::abs(a - b) < 1e-3 * std::abs(a); };
  return supergroups == other.supergroups && same(request, other.request) &&
         same(word, other.word) && same(start, other.start) &&
         same(memory.line, other.memory.line) && same(memory.latency, other.memory.latency) &&
         same(line42, other.line42);
}

/// Returns the constants that the model uses.
Constants used_constants() {
  const ScheduleConstants used;
  return {used.supergroups,
          used.request,
          used.word,
          used.start,
          memory_seconds(Version::v71),
          memory_seconds(Version::v42).line};
}

struct Figure {
  Published published;
  std::optional<Statistics> counted;  ///< counts of the dispatch; empty if it is only described
  Sample sample;

  [[nodiscard]] bool is_v42() const { return published.machine.version == Version::v42; }
  /// Returns true if the constants of this version's memory are fitted to the figure.
  [[nodiscard]] bool is_fitted(Version version) const {
    return published.fitted && published.machine.version == version;
  }
  [[nodiscard]] double seconds(const Constants& constants) const {
    const Machine& machine = published.machine;
    return sample.cycles(machine, constants.on(machine), published.threads_per_qpu) *
               published.repeats / machine.clock_hz +
           known_seconds();
  }
  /// Returns the part of the time that does not depend on the GPU's work.
  [[nodiscard]] double known_seconds() const {
    return fixed_seconds(published.machine) + published.host_seconds;
  }
  /// Returns the logarithm of the ratio of predicted time to published time.
  [[nodiscard]] double miss(const Constants& constants) const {
    return std::log(seconds(constants) / published.seconds);
  }
};

Figure read_figure(const Published& published, const std::filesystem::path& directory) {
  if (published.name == nullptr) return {published, {}, Sample(published.described)};
  const std::string file = fmt::format("{}.jobs", published.name);
  const auto jobs = read_jobs(directory / file);
  if (jobs.size() != 1) throw usage_error("{} holds {} jobs; it must hold one", file, jobs.size());
  CapturedMemory memory(jobs[0]);
  Executor executor(published.machine, {});
  Figure figure{published, {}, {}};
  figure.counted = executor.run(jobs[0].job, memory, &figure.sample);
  if (published.threads_per_qpu == 0) {
    figure.published.threads_per_qpu = figure.counted->threads_per_qpu;
  }
  return figure;
}

/// Reads times measured on another board. A line has a name of Published and nanoseconds,
/// submission included; one line has "clock_hz" and the V3D's clock.
std::map<std::string, double> read_times(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::map<std::string, double> times;
  std::string name;
  for (double value = 0; file >> name >> value;) times[name] = value;
  if (!file.eof() || !times.contains("clock_hz")) {
    throw usage_error("{} must hold lines NAME NANOSECONDS and a line clock_hz HERTZ",
                      path.string());
  }
  return times;
}

/// Returns the figures of a board that ran the recorded dispatches themselves, so that program and
/// threads are sidecore's own.
std::vector<Figure> board_figures(const std::filesystem::path& directory,
                                  const std::filesystem::path& path) {
  const std::map<std::string, double> times = read_times(path);
  std::vector<Figure> figures;
  for (Published& published : published_figures()) {
    if (published.name == nullptr || !times.contains(published.name)) continue;
    published.seconds = times.at(published.name) * 1e-9;
    published.machine.clock_hz = times.at("clock_hz");
    published.repeats = 1;
    published.host_seconds = 0;
    published.fitted = true;
    Figure figure = read_figure(published, directory);
    figure.published.threads_per_qpu = figure.counted->threads_per_qpu;
    figures.push_back(std::move(figure));
  }
  if (figures.size() < 3)
    throw usage_error("{}: too few times to fit; at least 3 are needed", path.string());
  return figures;
}

/// Constants, and the error of each figure with them.
struct Candidate {
  Constants constants;
  std::vector<double> misses;
};

/// Returns candidates for V3D 7.1. The figures of a version depend on its memory and on shared
/// constants. The fit to V3D 7.1 gives the shared constants; the figures of V3D 4.2 give only
/// `line42`.
std::vector<Candidate> candidates(const std::vector<Figure>& figures) {
  std::vector<Candidate> all;
  const auto add = [&](const Constants& constants) {
    Candidate candidate{constants, {}};
    for (const Figure& figure : figures) {
      candidate.misses.push_back(figure.is_fitted(Version::v71) ? figure.miss(constants) : 0);
    }
    all.push_back(std::move(candidate));
  };
  for (const unsigned supergroups : {1U, 2U}) {
    for (const double request : {4.0, 6.0, 8.0}) {
      for (const double word : {5.0, 6.0, 7.0, 8.0}) {
        for (const double start : {100.0, 200.0, 300.0, 400.0}) {
          for (const double line : {4.8e-9, 5.2e-9, 5.6e-9}) {
            for (const double latency : {100e-9, 150e-9, 200e-9}) {
              add({supergroups, request, word, start, {line, latency}, 0});
            }
          }
        }
      }
    }
  }
  return all;
}

/// Returns candidates for V3D 4.2, with the shared constants in `shared`.
std::vector<Candidate> candidates42(const std::vector<Figure>& figures, Constants shared) {
  std::vector<Candidate> all;
  for (const double line : {8.1e-9, 8.4e-9, 8.7e-9, 9.0e-9, 9.3e-9}) {
    shared.line42 = line;
    Candidate candidate{shared, {}};
    for (const Figure& figure : figures) {
      candidate.misses.push_back(figure.is_fitted(Version::v42) ? figure.miss(shared) : 0);
    }
    all.push_back(std::move(candidate));
  }
  return all;
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Returns the candidate with the least mean square error, computed without figure `left_out`.
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

void print_constants(const Constants& c, double error, double error_of_two) {
  fmt::print(
      "Fitted: {} supergroup at once, {} cycles from one to the next, {} per request and {} per "
      "word,\n{:.1f} ns per line{}, {:.0f} ns latency.\n"
      "Mean square error {:.3f}; with two supergroups at once {:.3f}.\n",
      c.supergroups, c.start, c.request, c.word, c.memory.line * 1e9,
      c.line42 == 0 ? "" : fmt::format(" ({:.1f} on V3D 4.2)", c.line42 * 1e9),
      c.memory.latency * 1e9, error, error_of_two);
}

double percent(double miss) {
  return (std::exp(miss) - 1) * 100;
}

std::string counts_of(const Figure& figure) {
  if (!figure.counted) return "loop described by hand | | ";
  const Statistics& s = *figure.counted;
  return fmt::format("{} | {:.1f} | {:.1f}", s.threads, s.per_thread(s.instructions),
                     s.per_thread(s.tmu.total(TmuKind::load) + s.tmu.total(TmuKind::store)));
}

/// Error of one figure.
struct Miss {
  double error;  ///< logarithm of the ratio of predicted time to published time
  /// Ratio of published time to predicted time, both without Figure::known_seconds().
  double share;
};

/// Prints a row of a table.
Miss print_row(const Figure& figure, const Constants& constants, const Constants& of_two) {
  const ModelConstants model = model_constants(figure.published.machine);
  const double seconds = figure.seconds(constants), known = figure.known_seconds();
  const double low = (seconds - known) * model.low_factor + known;
  const double high = (seconds - known) * model.high_factor + known;
  const double published = figure.published.seconds;
  const double miss = std::log(seconds / published);
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.2f} .. {:.2f} | {:+.0f} % | {:.2f} | {} |\n",
             figure.published.what, counts_of(figure), published * 1e3, seconds * 1e3, low * 1e3,
             high * 1e3, percent(miss), figure.seconds(of_two) * 1e3,
             published < low    ? "below"
             : published > high ? "above"
                                : "inside");
  return {miss, (published - known) / (seconds - known)};
}

/// Prints the errors of a board's figures with the constants that the model has.
void print_errors_before(const std::vector<Figure>& figures) {
  double sum = 0;
  fmt::print("Before, with the model's constants:");
  for (const Figure& figure : figures) {
    const double miss = figure.miss(used_constants());
    sum += miss * miss;
    fmt::print(" {} {:+.0f} %,", figure.published.name, percent(miss));
  }
  fmt::print(" mean square error {:.3f}.\n\n", sum / static_cast<double>(figures.size()));
}

void print_table_head(const char* times) {
  fmt::print(
      "\n| dispatch | threads | instructions per thread | requests per thread | {0}, ms | "
      "predicted, ms | interval, ms | error | with two supergroups at once, ms | is the {0} time "
      "in the interval? |\n|---|---|---|---|---|---|---|---|---|---|\n",
      times);
}

/// Errors of the figures of a table.
class Errors {
 public:
  void add(const Miss& miss) {
    errors_.push_back(std::abs(percent(miss.error)));
    shares_.push_back(miss.share);
  }
  void print(const char* which) {
    std::ranges::sort(errors_);
    fmt::print("\nOf the {} {}: median error {:.0f} %, greatest {:.0f} %.\n", errors_.size(), which,
               (errors_[errors_.size() / 2] + errors_[(errors_.size() - 1) / 2]) / 2,
               errors_.back());
  }
  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }

 private:
  std::vector<double> errors_, shares_;
};

double mean_square(const Candidate& candidate) {
  double sum = 0, count = 0;
  for (const double miss : candidate.misses) {
    sum += miss * miss;
    count += miss != 0 ? 1 : 0;
  }
  return sum / count;
}

/// Runs the comparison. `times` is a file of a board's times; if it is empty, the published times
/// are used, and the model's constants must equal the fitted ones.
int run(const std::filesystem::path& directory, const std::filesystem::path& times) {
  std::vector<Figure> figures;
  if (times.empty()) {
    for (const Published& published : published_figures()) {
      figures.push_back(read_figure(published, directory));
    }
  } else {
    figures = board_figures(directory, times);
    print_errors_before(figures);
  }
  std::vector<Candidate> all = candidates(figures);
  Constants fit = best(all, kNone).constants;
  const std::vector<Candidate> all42 = candidates42(figures, fit);
  if (times.empty()) fit.line42 = best(all42, kNone).constants.line42;
  std::vector<Candidate> with_two = all;
  std::erase_if(with_two, [](const Candidate& c) { return c.constants.supergroups != 2; });
  Constants fit_of_two = best(with_two, kNone).constants;
  fit_of_two.line42 = fit.line42;
  print_constants(fit, mean_square(best(all, kNone)), mean_square(best(with_two, kNone)));

  const char* const name_of_times = times.empty() ? "published" : "measured";
  print_table_head(name_of_times);
  Errors fitted, predicted;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (!figures[i].published.fitted) continue;
    const Constants& others = best(figures[i].is_v42() ? all42 : all, i).constants;
    fitted.add(print_row(figures[i], others, fit_of_two));
  }
  fitted.print("dispatches");
  std::vector<double> shares = fitted.shares();
  if (times.empty()) {
    print_table_head(name_of_times);
    double squares = 0, squares_of_two = 0;
    for (const Figure& figure : figures) {
      if (figure.published.fitted) continue;
      predicted.add(print_row(figure, fit, fit_of_two));
      squares += std::pow(figure.miss(fit), 2);
      squares_of_two += std::pow(figure.miss(fit_of_two), 2);
    }
    predicted.print("dispatches that nothing was fitted to");
    const auto count = static_cast<double>(predicted.shares().size());
    fmt::print("Mean square error {:.3f}; with two supergroups at once {:.3f}.\n", squares / count,
               squares_of_two / count);
    shares.insert(shares.end(), predicted.shares().begin(), predicted.shares().end());
  }
  const auto [least, greatest] = std::ranges::minmax(shares);
  fmt::print("\nThe GPU's part of the times is {:.3f} to {:.3f} of the predicted part.\n", least,
             greatest);
  if (times.empty() && !(used_constants() == fit)) {
    throw Error(ErrorKind::failed,
                "the model's constants differ from the fitted ones; update ScheduleConstants");
  }
  const ModelConstants model;
  if (times.empty() && !(model.low_factor == std::floor(least * 100) / 100 &&
                         model.high_factor == std::ceil(greatest * 100) / 100)) {
    throw Error(ErrorKind::failed,
                "the model's interval differs from its errors; update low_factor and high_factor");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fmt::print(stderr,
               "Usage: v3dsim_calibration DIRECTORY [TIMES]; scripts/v3dsim-calibration runs it\n");
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    return run(argv[1], argc == 3 ? argv[2] : "");
  } catch (const Error& error) {
    fmt::print(stderr, "v3dsim_calibration: {}\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "v3dsim_calibration: {}\n", error.what());
    return static_cast<int>(ErrorKind::failed);
  }
}
