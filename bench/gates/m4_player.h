// M4's mixed form of a player.
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

/// The players at GateOptions::fps pictures a second.
struct PacedWindows {
  double fps = 0;
  PacedFigures neon;
  PacedFigures mixed;
  std::string energy_sensor{};  ///< what it measures; empty: there is none
  std::optional<PacedFigures> divided{};
};

/// The stage on NEON threads and on the QPU at the same time.
struct DividedPlayer {
  std::string plan;       ///< Player::plan()
  PlayerCounts clip;      ///< playing it once
  std::string md5;        ///< of the pictures
  std::string md5_after;  ///< of the windows
  SampleSet rate;         ///< pictures a second, a sample a round
};

/// A clip decoded on all threads, with the kernel's stage on the same threads, on the QPU, and
/// where it can be on both.
struct PlayerWindows {
  std::string origin;
  int threads = 1;
  PlayerCounts clip;  ///< of the mixed player, playing the clip once
  /// MD5 of the pictures; the mixed player's is taken again after the windows.
  std::string scalar_md5;
  std::string neon_md5;
  std::string mixed_md5;
  std::string mixed_md5_after;
  SampleSet neon;                  ///< pictures a second, a sample a round
  SampleSet mixed;                 ///< likewise
  std::vector<BoardState> states;  ///< of the board, one a round where somebody watched, and one
                                   ///< while the players kept a rate
  std::optional<PacedWindows> paced{};  ///< where a rate was asked for
  std::string mixed_plan{};             ///< Player::plan()
  Outcome<DividedPlayer> divided{};

  /// All pictures are those of the scalar decoder.
  [[nodiscard]] bool agrees() const;
};

/// PlayerWindows::mixed_plan; of older results, which lack it, theirs.
[[nodiscard]] std::string mixed_plan(const PlayerWindows& player);

/// Whether a player decides on the content, for it plays the clip or has played it for another
/// kernel of the stage. Throws what players throw.
[[nodiscard]] bool has_player(const Subject& subject, const GateOptions& options, Content content);

/// Windows of all in turn, over options.rounds, after each has played the clip once; one round
/// where a CPU plays the GPU, for what it is worth. The device is there. Returns no windows when
/// the kernel's player cannot play the clip. Throws what players throw.
[[nodiscard]] Outcome<PlayerWindows> run_m4_player(const Subject& subject,
                                                   const GateOptions& options);

}  // namespace sidecore::gates
