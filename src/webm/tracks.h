// Facts that the header of a WebM file states about its video track.
#pragma once

#include <cstdint>
#include <optional>

#include <webm/callback.h>

#include "video/description.h"
#include "video/source.h"

namespace sidecore::webm {

/// The only video track of a file.
struct VideoTrack {
  std::uint64_t number = 0;       ///< the track's number in blocks
  video::FrameRate frame_rate{};  ///< numerator 0 if the track does not state it
  video::Description description{};
};

/// Returns the facts of a track; nullopt if it is not a VP9 track that this module reads.
[[nodiscard]] std::optional<VideoTrack> read_track(const ::webm::TrackEntry& entry);

}  // namespace sidecore::webm
