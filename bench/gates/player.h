// A playback test: a whole decoder whose stage under test runs on a chosen processor.
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

struct PlaybackRequest {
  std::string clip;
  /// Largest number of the clip's packets to play; none: a default limit.
  std::optional<std::size_t> frames;
  bool start_at_key_frame = false;  ///< value of ClipRequest::start_at_key_frame
  /// Processor of the stage under test. NEON runs the other stages; with `scalar`, scalar code runs
  /// all stages.
  vp9::Processor processor = vp9::Processor::scalar;
  int threads = 1;
  qpu::Device* device = nullptr;  ///< Vulkan device for the work on the QPU; null: none
};

/// Counts of the work since the start of the playback test.
struct PlaybackCounts {
  std::uint64_t pictures = 0;     ///< pictures shown
  std::uint64_t frames = 0;       ///< frames decoded, shown or hidden
  std::uint64_t submissions = 0;  ///< number of submissions to the QPU
  std::uint64_t fence_waits = 0;
};

class PlaybackTest {
 public:
  virtual ~PlaybackTest() = default;
  /// Plays the clip once and returns the MD5 of all shown samples, as `sidecore decode --md5`
  /// prints it. Throws Error (usage) that names the clip if it is damaged.
  [[nodiscard]] virtual std::string checksum() = 0;
  /// Plays the whole clip repeatedly until `window` has passed, and finishes the last repetition,
  /// so that every plan decodes the same pictures. Returns pictures per second.
  [[nodiscard]] virtual double play(Nanoseconds window) = 0;
  /// Plays like play(), but decodes a picture's packets only after `pace` has released the picture,
  /// and reports each shown picture to it. The call is one time window of the pace.
  virtual void play_at(Pace& pace, Nanoseconds window) = 0;
  [[nodiscard]] virtual PlaybackCounts counts() const = 0;
  /// Returns the stage plan as `sidecore decode --plan` takes it: "neon", "prediction=qpu".
  [[nodiscard]] virtual std::string plan() const = 0;
  /// Returns what is played: "48 packets of 'clip.webm'".
  [[nodiscard]] virtual std::string origin() const = 0;
};

}  // namespace sidecore::gates
