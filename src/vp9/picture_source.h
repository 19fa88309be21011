// Source of pictures that decodes a VP9 file with sidecore's own decoder.
#pragma once

#include <memory>

#include "video/packet_source.h"
#include "video/source.h"
#include "vp9/decoder.h"

namespace sidecore::vp9 {

struct PictureSourceOptions {
  int threads = 1;                       ///< number of decoder threads, at least 1
  const DspTables* dsp = &scalar_dsp();  ///< the CPU's kernels; the tables must outlive the source
  bool start_at_key_frame = false;       ///< see the constructor of PacketDecoder
};

/// Opens a source of the pictures that `sidecore decode` would show, in order, and decodes up to
/// the first one. Throws Error (usage), as read() does later, for damage, for a stream without a
/// shown frame, for RGB and for 4:4:0 chroma, which no metric supports. read() also throws if a
/// picture's format differs from the first one's.
[[nodiscard]] std::unique_ptr<video::PictureSource> open_pictures(
    std::unique_ptr<video::PacketSource> packets, const PictureSourceOptions& options);

}  // namespace sidecore::vp9
