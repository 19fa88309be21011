// Pictures of a VP9 file, by the project's own decoder.
#pragma once

#include <memory>

#include "video/packet_source.h"
#include "video/source.h"
#include "vp9/decoder.h"

namespace sidecore::vp9 {

struct PictureSourceOptions {
  int threads = 1;                       ///< that decode; at least 1
  const DspTables* dsp = &scalar_dsp();  ///< the CPU's kernels; they outlive the source
  bool start_at_key_frame = false;       ///< as of PacketDecoder
};

/// Decodes the packets as `sidecore decode` does, and gives the pictures that it shows, in their
/// order. Reads up to the first picture. Throws Error (usage), as read() does, for damage, for a
/// stream without a shown frame, for RGB and for chroma that is sampled as no metric knows it;
/// read() throws where a picture has another format than the first one.
[[nodiscard]] std::unique_ptr<video::PictureSource> open_pictures(
    std::unique_ptr<video::PacketSource> packets, const PictureSourceOptions& options);

}  // namespace sidecore::vp9
