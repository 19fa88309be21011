// A player: a whole decoder, one of whose stages is what a kernel is made for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "gates/pace.h"
#include "qpu/device.h"
#include "vp9/plan.h"

namespace sidecore::gates {

struct PlayerRequest {
  std::string clip;
  std::optional<std::size_t> frames;  ///< at most so many of the clip's packets; else few enough
  bool start_at_key_frame = false;    ///< of ClipRequest
  /// The processor of the stage. The CPU runs all others; with `scalar`, scalar code runs all.
  vp9::Processor processor = vp9::Processor::scalar;
  int threads = 1;
  qpu::Device* device = nullptr;  ///< what the QPU's part runs on; the same for all stages
};

/// What a player did so far.
struct PlayerCounts {
  std::uint64_t pictures = 0;     ///< shown
  std::uint64_t frames = 0;       ///< decoded, shown or hidden
  std::uint64_t submissions = 0;  ///< to the QPU
  std::uint64_t fence_waits = 0;
};

class Player {
 public:
  virtual ~Player() = default;
  /// Plays the clip once from its beginning; the MD5 of all samples shown, as `sidecore decode
  /// --md5` prints it. Throws Error (usage) that names the clip for a damaged one.
  [[nodiscard]] virtual std::string checksum() = 0;
  /// Plays the clip from its beginning, over and over until the window is over, and to its end:
  /// either side filters the same pictures. Pictures a second.
  [[nodiscard]] virtual double play(Nanoseconds window) = 0;
  /// Plays likewise, but takes a picture's packets when `pace` releases it, and tells it of every
  /// picture that is shown: a window of the pace.
  virtual void play_at(Pace& pace, Nanoseconds window) = 0;
  [[nodiscard]] virtual PlayerCounts counts() const = 0;
  /// Who does what, as users say it: "neon", "prediction=qpu".
  [[nodiscard]] virtual std::string plan() const = 0;
  /// What is played: "48 packets of 'clip.webm'".
  [[nodiscard]] virtual std::string origin() const = 0;
};

}  // namespace sidecore::gates
