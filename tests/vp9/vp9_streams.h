// The streams of scripts/vp9-corpus, and what decoding one gives.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "vp9/decoder.h"

namespace sidecore::test {

using Bytes = std::vector<std::uint8_t>;

/// Streams of the corpus whose name begins with one of the prefixes, in alphabetical order.
std::vector<std::filesystem::path> corpus_streams(const std::vector<std::string>& prefixes);

/// The packets of a stream of the corpus, by its name without ".ivf".
std::vector<Bytes> corpus_packets(const std::string& name);
std::vector<Bytes> read_packets(const std::filesystem::path& path);

/// The frames inside the packets, without superframe indices.
std::vector<Bytes> frames_of(const std::vector<Bytes>& packets);

/// "bytes md5" of each frame that is shown, as in the corpus' .framemd5 files.
std::vector<std::string> decoded_checksums(const std::vector<Bytes>& packets,
                                           const vp9::DecoderOptions& options = {});
std::string checksum(const vp9::FrameBuffer& frame);
/// The MD5 of all of them together, as in the corpus' .md5 files.
std::string stream_checksum(const std::vector<Bytes>& packets,
                            const vp9::DecoderOptions& options = {});

/// Prefixes of all streams that are decoded, by depth of their samples: 90 and 11 streams.
inline const std::vector<std::string> kBytes = {"alt-ref",
                                                "aq-",
                                                "best",
                                                "dropped",
                                                "error-resilient",
                                                "frame-parallel",
                                                "headers-",
                                                "inactive",
                                                "key-frames",
                                                "layers",
                                                "loop-filter-",
                                                "lossless",
                                                "no-alt-ref",
                                                "no-loop-filter",
                                                "noise",
                                                "not-frame-parallel",
                                                "one-pass",
                                                "profile-1",
                                                "q-",
                                                "rate-",
                                                "real-time",
                                                "regions-",
                                                "resize-",
                                                "sharpness-",
                                                "size-",
                                                "static-threshold",
                                                "tile"};
inline const std::vector<std::string> kHighBitDepth = {"profile-2", "profile-3"};

/// Expects of every stream of the corpus that its frames have FFmpeg's checksums, and the whole
/// vpxdec's; and that there are so many streams at least.
void expect_agreement(const std::vector<std::string>& prefixes, std::size_t least_streams,
                      const vp9::DecoderOptions& options = {});

/// Calls visit(packets, name) with 12 small streams that between them use most of the format, each
/// damaged `mutations` times: bits and bytes changed, bytes left out, sizes of tiles changed,
/// packets cut, lost, repeated, and those of another stream among them. Of a seed always the same.
void for_each_damaged_stream(
    int mutations,
    const std::function<void(const std::vector<Bytes>& packets, const std::string& name)>& visit,
    std::uint64_t seed = 0x5eed);

/// The first frame of the stream "resize-odd" that is of another size than its references are.
inline constexpr std::size_t kResizedFrame = 6;
inline constexpr vp9::FrameSize kResizedSize{177, 145};
/// What decoding gives for it, a checksum or an error, when grey frames of size `wrong` stand in
/// these of its references: 0 is LAST, 1 GOLDEN, 2 ALTREF.
std::string resized_frame(vp9::DecoderOptions options, const std::vector<std::size_t>& spoiled,
                          const vp9::FrameSize& wrong);

/// The lines of a text file.
std::vector<std::string> lines_of(const std::filesystem::path& path);

}  // namespace sidecore::test
