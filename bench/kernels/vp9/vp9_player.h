// Playback test of the VP9 decoder, for the gates of its stages.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "gates/kernel.h"
#include "gates/player.h"
#include "qpu/vp9/back_end.h"

namespace sidecore::bench {

/// Default number of packets to play. If the Vulkan device is a CPU, which is slow,
/// kPacketsOnCpuDevice are enough to compare the pictures.
inline constexpr std::size_t kPackets = 48;
inline constexpr std::size_t kPacketsOnCpuDevice = 12;

/// Makes a playback test of a VP9 clip, which is read into memory first. `stage` runs on the
/// request's processor, NEON runs the other stages; without `stage`, all pixel stages run on that
/// processor. The stages of one frame run in sequence. At the same time as the QPU run:
/// - the parser, some frames ahead;
/// - NEON's part of a divided stage;
/// - with only the loop filter on the QPU, reconstruction of the next frames, as soon as their
///   reference frames are filtered.
/// A picture is shown after the wait for its fence. vp9::Processor::divided without `stage` divides
/// prediction and residual, and runs the other two stages on the QPU. Returns null if the clip has
/// no VP9 stream. Throws Error (usage) if it has no packet, or if the stage cannot be divided.
[[nodiscard]] std::unique_ptr<gates::PlaybackTest> make_vp9_player(
    const gates::PlaybackRequest& request, std::optional<vp9::Stage> stage);

/// Adds the playback test of a stage to the descriptor of one of its kernels.
void play_stage(gates::Kernel& kernel, vp9::Stage stage);

/// Returns the whole decoder vp9_back_end: M4 plays it with all pixel stages on one processor.
[[nodiscard]] gates::Kernel vp9_back_end();

}  // namespace sidecore::bench
