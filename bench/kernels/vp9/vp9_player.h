// The VP9 decoder as a player, for the gates of its stages.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "gates/kernel.h"
#include "gates/player.h"
#include "qpu/vp9/back_end.h"

namespace sidecore::bench {

/// Without a wish the first so many packets are played; fewer beside a CPU that plays the GPU,
/// which proves the pictures right and takes its time.
inline constexpr std::size_t kPackets = 48;
inline constexpr std::size_t kPacketsOnStandIn = 12;

/// Plays a VP9 clip, read into memory beforehand, with `stage`, or without one all stages behind
/// the parser, on what the request says; the other stages are NEON's. Of a frame the stages follow
/// one another; what runs beside the QPU is the parser, some frames ahead, and with a divided stage
/// NEON's part of it. With the loop filter alone on the QPU, reconstruction goes on as well as soon
/// as no picture that it predicts from is in filtering; a picture is shown when its fence has been
/// waited for. vp9::Processor::divided of all stages divides prediction and residual and leaves the
/// two others to the QPU. Null when the clip holds no VP9. Throws Error (usage) when it has no
/// packet, or when the stage cannot be divided.
[[nodiscard]] std::unique_ptr<gates::Player> make_vp9_player(const gates::PlayerRequest& request,
                                                             std::optional<vp9::Stage> stage);

/// Gives a kernel of the stage the stage's player.
void play_stage(gates::Kernel& kernel, vp9::Stage stage);

/// vp9_back_end: all stages behind the parser, which M4 plays.
[[nodiscard]] gates::Kernel vp9_back_end();

}  // namespace sidecore::bench
