// Measurement for `sidecore decode --scaling`: how decoding speed grows with the number of threads.
#pragma once

#include <cstdint>
#include <string>

#include "video/packet_source.h"
#include "vp9/decoder.h"

namespace sidecore::cli {

/// Decodes a stream from memory with 1, 2, 3, 4, 6, 8 ... threads up to `options.threads`, `runs`
/// times each, and drops the frames. Returns a table of medians. The runs are interleaved, so that
/// other load on the machine affects all numbers of threads alike. Throws as decoding does.
[[nodiscard]] std::string scaling_table(video::PacketSource& source, vp9::DecoderOptions options,
                                        int runs);

}  // namespace sidecore::cli
