// The kinds of PacketSource that open_packets() chooses from.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "video/byte_stream.h"
#include "video/packet_source.h"

namespace sidecore::video {

/// First bytes of every IVF file.
inline constexpr std::string_view kIvfSignature = "DKIF";

/// The stream stands at the signature. Throws Error (usage) for a bad header or another codec than
/// VP9.
[[nodiscard]] std::unique_ptr<PacketSource> open_ivf(std::unique_ptr<ByteStream> stream);

/// Opens `path` again when the stream says it can be. Throws Error (usage) when there is no VP9
/// stream in it.
[[nodiscard]] std::unique_ptr<PacketSource> open_libav_packets(std::unique_ptr<ByteStream> stream,
                                                               const std::string& path);

}  // namespace sidecore::video
