// The pictures of a stream on the simulated V3D, by scripts/v3dsim-picture: the model of a Pi's QPU
// without a file that somebody made before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "split/picture_model.h"
#include "split/stream.h"

namespace sidecore::split {

/// So many of the first packets have frames of each kind to model: an intra frame and three others,
/// where the sample has as many. What the rest of the sample costs follows from its frames' own
/// dispatches and edges.
[[nodiscard]] std::size_t packets_to_simulate(const Stream& stream);

/// Runs the script on the first `packets` packets of a file, on a V3D "7.1" or "4.2"; takes
/// about ten seconds a packet of 1080p. The script is that of the source tree which this program
/// was built in, or what SIDECORE_V3DSIM_PICTURE names. Throws Error (usage) when the stream is no
/// file, (environment) when there is no script or it fails; it has said why on standard error then.
[[nodiscard]] PictureModel simulate_pictures(const std::string& clip, std::size_t packets,
                                             std::string_view v3d);

}  // namespace sidecore::split
