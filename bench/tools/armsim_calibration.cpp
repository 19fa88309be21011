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
               double published, const Cycles& predicted, int digits) {
  const double error = predicted.expected / published - 1;
  misses.push_back(std::abs(error));
  fmt::print("| {} | {} | {} | {:.{}f} | {:.{}f} .. {:.{}f} | {:+.0f} % | {} |\n", what, unit,
             published_text, predicted.expected, digits, predicted.low, digits, predicted.high,
             digits, 100 * error,
             published < predicted.low    ? "below"
             : published > predicted.high ? "above"
                                          : "inside");
}

/// Prints a row with the interval of a function.
void print_row(const std::string& what, const std::string& unit, const std::string& published_text,
               double published, double predicted, int digits) {
  print_row(what, unit, published_text, published,
            Cycles{kLowFactor * predicted, predicted, kHighFactor * predicted}, digits);
}

/// Prints the median and the greatest error of the rows since the last call.
void print_misses() {
  std::ranges::sort(misses);
  fmt::print("\nMedian error {:.0f} %, greatest {:.0f} %.\n\n", 100 * misses[misses.size() / 2],
             100 * misses.back());
  misses.clear();
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
    {"H.264 deblocking h", "H.264 deblocking, h", 38.3, "38.3 ns"},
    {"H.264 inverse transform 4x4", "H.264 inverse transform 4x4", 10.75, "10.75 ns"},
    {"H.264 inverse transform 8x8", "H.264 inverse transform 8x8", 29.7, "29.7 ns"},
    {"H.264 prediction 8x8 mc20", "H.264 prediction 8x8, half a sample in x", 30.2, "30.2 ns"},
    {"H.264 prediction 8x8 mc02", "H.264 prediction 8x8, half a sample in y", 17.7, "17.7 ns"},
    {"H.264 prediction 8x8 mc22", "H.264 prediction 8x8, half a sample in both", 71.6, "71.6 ns"},
};

/// CPU time of processes that decoded 150 pictures of FFmpeg's testsrc at 1920x1080 on a Raspberry
/// Pi 5 with FFmpeg 7.1.3. The streams' encoder settings are not published.
/// Source: git.reauktion.de/reauktion/daedalus-v4l2, docs/perf_comparison.md.
struct Decoding {
  const char* name;  ///< prefix of the counts' names
  const char* what;
  bool from_start;  ///< the time includes the start of the process
  int pictures;
  double milliseconds;
};
constexpr Decoding kDecodings[] = {
    {"vp9 nv12", "ffmpeg, VP9, 2 threads, to NV12", true, 150, 2327},
    {"av1 nv12", "ffmpeg, AV1, 2 threads, to NV12", true, 150, 2342},
    {"h264 nv12", "ffmpeg, H.264, 2 threads, to NV12", true, 150, 2188},
    {"vp9", "libavcodec in a daemon, VP9, 1 thread", false, 150, 1183},
    {"av1", "libavcodec in a daemon, AV1, 1 thread", false, 150, 1428},
    {"h264", "libavcodec in a daemon, H.264, 1 thread", false, 150, 1021},
    {"vp9", "libavcodec in a daemon, VP9, 1 thread, wall-clock time over 60 s", false, 1800,
     1e3 * 1800 / 120.9},
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

void print_decoding(const std::map<std::string, Counted>& counts, const Decoding& row) {
  const std::string name = row.name;
  // "NAME start" counts the program's start and its first picture.
  const double starts = row.from_start ? 1 : 0;
  const auto milliseconds = [&](const char* with) {
    return (starts * counts.at(name + " start" + with).cycles[1] +
            (row.pictures - starts) * counts.at(name + " picture" + with).cycles[1]) /
           2.4e6;
  };
  const double predicted = milliseconds("");
  const double in_cache = milliseconds(" in cache");
  print_row(row.what, "ms", fmt::format("{:.0f}", row.milliseconds), row.milliseconds,
            {kLowFactor * predicted, predicted,
             kHighFactor * in_cache + kMemoryHighFactor * (predicted - in_cache)},
            0);
}

int run(const char* path) {
  const std::map<std::string, Counted> counts = read_counts(path);
  print_head("FFmpeg's NEON functions and its decoder on a Raspberry Pi 5");
  for (const OnA76& row : kOnA76) {
    print_row(row.what, "ns", row.said, row.nanoseconds, counts.at(row.name).cycles[1] / 2.8, 1);
  }
  print_misses();
  if (counts.contains("vp9 picture")) {
    print_head("Decoders on a Raspberry Pi 5 at 2.4 GHz");
    for (const Decoding& row : kDecodings) print_decoding(counts, row);
    print_misses();
  }
  print_head("FFmpeg's NEON functions on a Cortex-A53, all data in the first cache");
  for (const OnA53& row : kOnA53) {
    print_row(row.what, "cycles", fmt::format("{:.0f}", row.cycles), row.cycles,
              counts.at(row.name).cycles[2], 0);
  }
  print_misses();
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
