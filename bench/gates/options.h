// Options of a run of the gates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "gates/kernel.h"

namespace sidecore::gates {

enum class Gate : std::uint8_t {
  m1,  ///< correctness
  m2,  ///< speed of the QPU alone
  m3,  ///< speed of NEON
  m4,  ///< speed of NEON and QPU together
  m5,  ///< cost of a dispatch
};
/// Returns "M1" to "M5".
[[nodiscard]] const char* to_string(Gate gate);
/// Returns the gate of that name; ignores case. Throws Error (usage) that lists the gates.
[[nodiscard]] Gate parse_gate(const std::string& name);

struct GateOptions {
  std::set<Gate> gates{Gate::m1, Gate::m2, Gate::m3, Gate::m4, Gate::m5};
  /// True if the user listed the gates: a listed gate that cannot run is an error.
  bool gates_named = false;

  std::vector<std::string> variants;  ///< names of variants, or "all"; empty: all except baselines
  /// Test contents; empty: the synthetic ones, and the clip if given.
  std::vector<Content> contents;
  std::string input;                  ///< path of a clip; empty: none
  std::optional<std::size_t> frames;  ///< largest number of the clip's pictures to read
  bool start_at_key_frame = false;    ///< value of ClipRequest::start_at_key_frame
  bool size_named = false;            ///< true if the user set width and height
  int width = 1920;                   ///< width of synthetic pictures, in luma samples
  int height = 1080;
  int filter_level = 32;
  int sharpness = 0;
  std::uint64_t seed = 1;  ///< seed of the first workload; each further workload adds 1

  int threads = 1;  ///< number of NEON threads, at most the CPUs that the process may use
  Nanoseconds window{8'000'000'000};  ///< length of M4's time windows
  int rounds = 3;                     ///< number of M4's rounds
  std::optional<double> fps;  ///< fixed rate of M4's playback test, above 0; none: full speed only
  int repetitions = 31;       ///< number of M2's and M3's repetitions
  int empty_repetitions = 301;  ///< number of M5's repetitions
  /// Smallest number of work units per synthetic content in M1.
  std::uint64_t minimum_units = 65'536;
};

/// Returns the clip's file name for Content::input, otherwise to_string().
[[nodiscard]] std::string content_name(const GateOptions& options, Content content);
/// Returns the contents that M1, M2 and M3 run on.
[[nodiscard]] std::vector<Content> contents_of(const GateOptions& options);
/// Returns the contents that M4 runs on: the listed contents; if none is listed, the clip; without
/// a clip, `smooth`.
[[nodiscard]] std::vector<Content> m4_contents(const GateOptions& options);

}  // namespace sidecore::gates
