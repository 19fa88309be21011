// What a run of the gates was asked to do.
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
  m1,  ///< is it right?
  m2,  ///< how fast is the QPU alone?
  m3,  ///< how fast is NEON?
  m4,  ///< does it pay?
  m5,  ///< what does a dispatch cost?
};
/// "M1" to "M5".
[[nodiscard]] const char* to_string(Gate gate);
/// The inverse, case ignored. Throws Error (usage).
[[nodiscard]] Gate parse_gate(const std::string& name);

struct GateOptions {
  std::set<Gate> gates{Gate::m1, Gate::m2, Gate::m3, Gate::m4, Gate::m5};
  bool gates_named = false;  ///< the user listed them: what cannot run is then an error

  std::vector<std::string> variants;  ///< by name; "all"; empty: all but the baselines
  std::vector<Content> contents;      ///< empty: the synthetic ones, and input where given
  std::string input;                  ///< a clip; empty: none
  std::optional<std::size_t> frames;  ///< at most so many of the clip's pictures
  bool start_at_key_frame = false;    ///< of ClipRequest
  bool size_named = false;            ///< width and height are the user's wish
  int width = 1920;                   ///< of synthetic pictures, in luma samples
  int height = 1080;
  int filter_level = 32;
  int sharpness = 0;
  std::uint64_t seed = 1;  ///< of the first workload; the next ones count up from it

  int threads = 1;                       ///< NEON threads, at most the CPUs that may be used
  Nanoseconds window{8'000'000'000};     ///< of one M4 configuration in one round
  int rounds = 3;                        ///< of M4
  std::optional<double> fps;             ///< M4's player plays at this rate too, above 0
  int repetitions = 31;                  ///< of M2 and M3
  int empty_repetitions = 301;           ///< of M5
  std::uint64_t minimum_units = 65'536;  ///< of M1, for each synthetic content
};

/// What readers know a content by: the clip's file name for Content::input, else to_string().
[[nodiscard]] std::string content_name(const GateOptions& options, Content content);
/// The contents that M1, M2 and M3 run on.
[[nodiscard]] std::vector<Content> contents_of(const GateOptions& options);
/// Those that M4's long windows are spent on: what was listed, else the clip, else `smooth`.
[[nodiscard]] std::vector<Content> window_contents_of(const GateOptions& options);

}  // namespace sidecore::gates
