// The VP9 decoder as a player, for the loop filters' gates.
#pragma once

#include <cstddef>
#include <memory>

#include "gates/player.h"

namespace sidecore::bench {

/// Without a wish the first so many packets are played; fewer beside a CPU that plays the GPU,
/// which proves the pictures right and takes its time.
inline constexpr std::size_t kPackets = 48;
inline constexpr std::size_t kPacketsOnStandIn = 12;

/// Plays a VP9 clip, read into memory beforehand. With PlayerStage::qpu the QPU filters a picture,
/// in one submission, while the threads parse the next one and reconstruct it as soon as no picture
/// that it predicts from is in filtering; the picture is shown when its fence has been waited for.
/// Null when the clip holds no VP9. Throws Error (usage) when it has no packet.
[[nodiscard]] std::unique_ptr<gates::Player> make_vp9_player(const gates::PlayerRequest& request);

}  // namespace sidecore::bench
