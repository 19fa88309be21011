#include "webm/tracks.h"

#include <limits>

#include "video/frame_rate.h"

namespace sidecore::webm {
namespace {

/// Returns the aspect of a pixel from the size of the coded picture and the size or the proportions
/// in which it is shown.
video::PixelAspect aspect_of(const ::webm::Video& video) {
  constexpr std::uint64_t kMaxSize = 65536;
  const auto fits = [](std::uint64_t value) { return value >= 1 && value <= kMaxSize; };
  if (video.display_unit.value() > ::webm::DisplayUnit::kDisplayAspectRatio) return {};
  const std::uint64_t width = video.pixel_width.value();
  const std::uint64_t height = video.pixel_height.value();
  // A size that is not stated is that of the coded picture.
  const std::uint64_t shown_width =
      video.display_width.is_present() ? video.display_width.value() : width;
  const std::uint64_t shown_height =
      video.display_height.is_present() ? video.display_height.value() : height;
  if (!fits(width) || !fits(height) || !fits(shown_width) || !fits(shown_height)) return {};
  return video::pixel_aspect_of(static_cast<int>(width), static_cast<int>(height),
                                static_cast<int>(shown_width), static_cast<int>(shown_height));
}

/// Returns the siting of chroma. In each direction Matroska states 1 for the place of the first
/// luma sample, and 2 for the middle between two samples.
video::ChromaSiting siting_of(const ::webm::Colour& colour) {
  const std::uint64_t x = colour.chroma_siting_x.value();
  const std::uint64_t y = colour.chroma_siting_y.value();
  if (x == 1 && y == 1) return video::ChromaSiting::top_left;
  if (x == 1 && y == 2) return video::ChromaSiting::left;
  if (x == 2 && y == 2) return video::ChromaSiting::center;
  return video::ChromaSiting::unknown;
}

video::Description description_of(const ::webm::Video& video) {
  video::Description description;
  const ::webm::Colour& colour = video.colour.value();
  if (colour.range.value() == ::webm::Range::kBroadcast) {
    description.range = video::SampleRange::limited;
  }
  if (colour.range.value() == ::webm::Range::kFull) description.range = video::SampleRange::full;
  description.aspect = aspect_of(video);
  description.siting = siting_of(colour);
  return description;
}

}  // namespace

std::optional<VideoTrack> read_track(const ::webm::TrackEntry& entry) {
  const ::webm::Video& video = entry.video.value();
  if (entry.codec_id.value() != "V_VP9" || !entry.is_enabled.value() ||
      video.stereo_mode.value() != ::webm::StereoMode::kMono) {
    return std::nullopt;
  }
  return VideoTrack{entry.track_number.value(),
                    video::frame_rate_of_duration(entry.default_duration.value()),
                    description_of(video)};
}

}  // namespace sidecore::webm
