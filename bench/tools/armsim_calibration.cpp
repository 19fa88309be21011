// Compares the timing model of the Raspberry Pi's cores with published times. Reads the counts that
// scripts/armsim-calibration made and prints Markdown tables. All values are modelled or published;
// this program measures nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/costs.h"
#include "tools/armsim_published.h"

namespace {

using namespace sidecore;
using namespace sidecore::model;

/// Instructions and cycles of a work unit. The plugin counts cycles for three cores: A72, A76, A53.
struct Counted {
  double instructions;
  double cycles[3];
};

std::map<std::string, Counted> read_counts(const char* path) {
  std::map<std::string, Counted> counts;
  std::ifstream file(path);
  if (!file) throw usage_error("cannot read the counts '{}'", path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream columns(line);
    std::string name;
    std::getline(columns, name, '\t');
    Counted counted{};
    columns >> counted.instructions >> counted.cycles[0] >> counted.cycles[1] >> counted.cycles[2];
    if (!columns)
      throw usage_error("{}: a line must have a name, a tab, instructions and three cycles: '{}'",
                        path, line);
    counts[name] = counted;
  }
  return counts;
}

std::vector<double> misses;

void print_row(const std::string& what, const std::string& unit, const std::string& published_text,
               double published, double predicted, int digits) {
  const double low = predicted * kLowFactor;
  const double high = predicted * kHighFactor;
  const double error = predicted / published - 1;
  misses.push_back(std::abs(error));
  fmt::print("| {} | {} | {} | {:.{}f} | {:.{}f} .. {:.{}f} | {:+.0f} % | {} |\n", what, unit,
             published_text, predicted, digits, low, digits, high, digits, 100 * error,
             published < low    ? "below"
             : published > high ? "above"
                                : "inside");
}

void print_head(const char* title) {
  fmt::print(
      "{}\n\n| what | unit | published | predicted | interval | error | is the published value in "
      "the interval? |\n|---|---|---|---|---|---|---|\n",
      title);
}

/// Times of FFmpeg's functions on one Cortex-A76 at 2.8 GHz, as published by a user of these
/// functions.
struct OnA76 {
  const char* name;
  const char* what;
  double nanoseconds;
  const char* said;
};
constexpr OnA76 kOnA76[] = {
    {"loop filter 4", "loop filter, 4 wide, h", 1e3 / 48.3, "48.3 M/s"},
    {"loop filter 8", "loop filter, 8 wide, h", 1e3 / 52.4, "52.4 M/s"},
    {"inverse DCT 8x8", "inverse DCT 8x8, alone", 122.4, "8.17 M/s"},
    {"inverse DCT 8x8", "inverse DCT 8x8, time window of M4", 1e3 / 12.623, "12.6 M/s"},
    {"prediction 8x8 h", "prediction 8x8, h, alone", 47.6, "21.0 M/s"},
    {"prediction 8x8 h", "prediction 8x8, h, time window of M4", 1e3 / 14.479, "14.5 M/s"},
    {"H.264 deblocking v", "H.264 deblocking, v, first publication", 1e3 / 91.9, "91.9 M/s"},
    {"H.264 deblocking v", "H.264 deblocking, v, second publication", 17.63, "17.6 ns"},
};

/// Cycles on a Cortex-A53, measured with checkasm, from FFmpeg's history.
struct OnA53 {
  const char* name;
  const char* what;
  double cycles;
};
constexpr OnA53 kOnA53[] = {
    {"v4", "loop filter v 4, 8 columns", 89}, {"v8", "loop filter v 8", 138},
    {"v16", "loop filter v 16", 273},         {"h4", "loop filter h 4", 127},
    {"h8", "loop filter h 8", 183},           {"h16", "loop filter h 16", 329},
    {"16x16", "inverse DCT 16x16", 1372},     {"16x16 8", "inverse DCT 16x16, 8 rows", 1037},
    {"32x32", "inverse DCT 32x32", 8099},     {"32x32 16", "inverse DCT 32x32, 16 rows", 5183},
};

void print_concurrent() {
  using namespace bench::published;
  for (const ConcurrentRates& window : kConcurrentRates) {
    const double rate = window.units_per_second / 1e6;
    print_row(window.what, "M/s", fmt::format("{:.1f}", rate), rate, modelled(window) / 1e6, 1);
  }
  fmt::print(
      "\n| gain of 3 NEON threads with the QPU over 4 NEON threads | published | predicted | "
      "predicted sign |\n|---|---|---|---|\n");
  for (const Gain& gain : kGains) {
    const double predicted = modelled(gain);
    fmt::print("| {} | {:+.1f} % | {:+.1f} % | {} |\n", gain.what, 100 * gain.gain, 100 * predicted,
               (predicted > 0) == (gain.gain > 0) ? "right" : "wrong");
  }
}

int run(const char* path) {
  const std::map<std::string, Counted> counts = read_counts(path);
  print_head("FFmpeg's NEON functions and its decoder on a Raspberry Pi 5");
  for (const OnA76& row : kOnA76) {
    print_row(row.what, "ns", row.said, row.nanoseconds, counts.at(row.name).cycles[1] / 2.8, 1);
  }
  if (const auto decoding = counts.find("decoding"); decoding != counts.end()) {
    print_row("decoding 10 frames of VP9, 1080p, 2.4 GHz", "ms", "155", 155,
              10 * decoding->second.cycles[1] / 2.4e6, 0);
  }
  std::ranges::sort(misses);
  fmt::print("\nMedian error {:.0f} %, greatest {:.0f} %.\n\n", 100 * misses[misses.size() / 2],
             100 * misses.back());
  misses.clear();
  print_head("FFmpeg's NEON functions on a Cortex-A53, all data in the first cache");
  for (const OnA53& row : kOnA53) {
    print_row(row.what, "cycles", fmt::format("{:.0f}", row.cycles), row.cycles,
              counts.at(row.name).cycles[2], 0);
  }
  std::ranges::sort(misses);
  fmt::print("\nMedian error {:.0f} %, greatest {:.0f} %.\n\n", 100 * misses[misses.size() / 2],
             100 * misses.back());
  print_head("Both at once on a Raspberry Pi 5");
  print_concurrent();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "Usage: armsim_calibration COUNTS; scripts/armsim-calibration runs it\n");
    return static_cast<int>(ErrorKind::usage);
  }
  try {
    return run(argv[1]);
  } catch (const Error& error) {
    fmt::print(stderr, "armsim_calibration: {}\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    fmt::print(stderr, "armsim_calibration: {}\n", error.what());
    return static_cast<int>(ErrorKind::failed);
  }
}
