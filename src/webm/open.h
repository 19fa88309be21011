// Opens VP9 packets of WebM and Matroska files with libwebm, which is small: libavformat takes tens
// of milliseconds to load.
#pragma once

#include <memory>
#include <string_view>

#include "video/byte_stream.h"
#include "video/packet_source.h"

namespace sidecore::webm {

/// Signature: the first bytes of every WebM and Matroska file.
inline constexpr std::string_view kSignature = "\x1a\x45\xdf\xa3";

/// Opens the VP9 packets of a WebM or Matroska file that is at its signature. Returns null, and
/// leaves `stream` at any position, for a file that libavformat should open:
///
/// - It does not have exactly one video track, or that track is disabled, is not VP9, is stereo, or
///   has a scale of its own for time stamps.
/// - A track is encrypted or compressed.
/// - The size of the segment or of the first cluster is unknown, as in live streams.
/// - It is damaged before the first cluster.
///
/// Otherwise takes the stream. read() of the returned source throws Error (usage) if the file is
/// damaged, is cut short, or contains another element of unknown size.
[[nodiscard]] std::unique_ptr<video::PacketSource> open_vp9_packets(
    std::unique_ptr<video::ByteStream>& stream);

}  // namespace sidecore::webm
