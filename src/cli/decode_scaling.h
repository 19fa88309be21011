// What `sidecore decode --scaling` tells: how much faster a decoder gets with more threads.
#pragma once

#include <cstdint>
#include <string>

#include "video/packet_source.h"
#include "vp9/decoder.h"

namespace sidecore::cli {

/// Decodes a stream from memory on one thread, two, and so on up to `options.threads`, by turns, so
/// that whatever else the machine does meets all of them; each `runs` times, and drops the frames.
/// A table of medians. Throws what decoding throws.
[[nodiscard]] std::string scaling_table(video::PacketSource& source, vp9::DecoderOptions options,
                                        int runs);

}  // namespace sidecore::cli
