// M4's playback test: decodes a whole clip with the kernel's stage on NEON, on the QPU, or divided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/statistics.h"
#include "gates/board_watch.h"
#include "gates/options.h"
#include "gates/pace.h"
#include "gates/player.h"
#include "gates/subject.h"

namespace sidecore::gates {

/// Results of playing at GateOptions::fps pictures per second.
struct PacedWindows {
  double fps = 0;
  PacedFigures neon;
  PacedFigures mixed;
  std::string energy_sensor{};  ///< quantity that the power sensor measures; empty: no sensor
  std::optional<PacedFigures> divided{};
};

/// Results with the stage divided: NEON threads and the QPU run it at the same time.
struct DividedPlaybackResult {
  std::string plan;       ///< Player::plan()
  PlaybackCounts clip;    ///< counts of playing the clip once
  std::string md5;        ///< MD5 of all pictures
  std::string md5_after;  ///< MD5 of all pictures, decoded again after the time windows
  SampleSet rate;         ///< pictures per second, one sample per round
};

/// Results of the playback test: a clip decoded on all threads, with the kernel's stage on NEON
/// (`neon`), on the QPU (`mixed`) and, if possible, divided (`divided`).
struct PlaybackResult {
  std::string origin;
  int threads = 1;
  PlaybackCounts clip;  ///< counts of playing the clip once with the stage on the QPU
  /// MD5 of all shown pictures, one for each plan. `mixed_md5_after` is taken after the time
  /// windows.
  std::string scalar_md5;
  std::string neon_md5;
  std::string mixed_md5;
  std::string mixed_md5_after;
  SampleSet neon;   ///< NEON: pictures per second, one sample per round
  SampleSet mixed;  ///< QPU: pictures per second, one sample per round
  /// The board's state: one element per round, and one for the fixed rate. Empty without
  /// KernelUnderTest::watch.
  std::vector<BoardState> states;
  std::optional<PacedWindows> paced{};  ///< results at a fixed rate; set if GateOptions::fps is set
  std::string mixed_plan{};             ///< Player::plan()
  Outcome<DividedPlaybackResult> divided{};

  /// Returns true if all pictures equal the scalar decoder's.
  [[nodiscard]] bool agrees() const;
};

/// Returns PlaybackResult::mixed_plan, or "loop_filter=qpu" for older results, which lack it.
[[nodiscard]] std::string mixed_plan(const PlaybackResult& player);

/// Returns true if a playback test decides the verdict on the content: it can decode the clip, or
/// has run for another kernel of the stage. Throws what Kernel::make_player() throws.
[[nodiscard]] bool has_player(const KernelUnderTest& subject, const GateOptions& options,
                              Content content);

/// Runs the playback test: decodes the clip once with each plan, then times the plans in turn for
/// options.rounds rounds, or for one round if the Vulkan device is a CPU. Needs
/// KernelUnderTest::device. Returns no value if the decoder cannot decode the clip. Throws the
/// exceptions of PlaybackTest's functions.
[[nodiscard]] Outcome<PlaybackResult> run_m4_player(const KernelUnderTest& subject,
                                                    const GateOptions& options);

}  // namespace sidecore::gates
