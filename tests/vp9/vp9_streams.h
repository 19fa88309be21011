// Reads the streams of scripts/vp9-corpus and describes the results of decoding them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "vp9/decoder.h"

namespace sidecore::test {

using Bytes = std::vector<std::uint8_t>;

/// Returns the corpus streams whose names begin with one of the prefixes, in alphabetical order.
std::vector<std::filesystem::path> corpus_streams(const std::vector<std::string>& prefixes);

/// Returns the packets of a corpus stream; `name` is without ".ivf".
std::vector<Bytes> corpus_packets(const std::string& name);
std::vector<Bytes> read_packets(const std::filesystem::path& path);

/// Returns the frames inside the packets, without superframe indices.
std::vector<Bytes> frames_of(const std::vector<Bytes>& packets);

/// Decodes packets and returns "bytes md5" for each shown frame, as in the corpus' .framemd5 files.
std::vector<std::string> decoded_checksums(const std::vector<Bytes>& packets,
                                           const vp9::DecoderOptions& options = {});
std::string checksum(const vp9::FrameBuffer& frame);
/// Decodes packets and returns the MD5 of all shown frames together, as in the corpus' .md5 files.
std::string stream_checksum(const std::vector<Bytes>& packets,
                            const vp9::DecoderOptions& options = {});

/// Prefixes of all decodable streams, by bit depth: 90 streams of 8 bits and 11 of more.
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

/// Expects that the frames of all matching corpus streams have FFmpeg's checksums and that the
/// whole streams have vpxdec's. Expects at least `least_streams` such streams.
void expect_agreement(const std::vector<std::string>& prefixes, std::size_t least_streams,
                      const vp9::DecoderOptions& options = {});

/// Calls visit(packets, name) with 12 small streams that together use most of the format, each
/// damaged `mutations` times. Damage is changed bits and bytes, removed bytes, changed tile sizes,
/// and packets that are cut, lost, repeated or from another stream. The same seed always gives the
/// same damage.
void for_each_damaged_stream(
    int mutations,
    const std::function<void(const std::vector<Bytes>& packets, const std::string& name)>& visit,
    std::uint64_t seed = 0x5eed);

/// Index of the first frame in the stream "resize-odd" whose size differs from that of its
/// references.
inline constexpr std::size_t kResizedFrame = 6;
inline constexpr vp9::FrameSize kResizedSize{177, 145};
/// Decodes frame kResizedFrame with grey frames of size `wrong` in place of the `spoiled`
/// references (0 LAST, 1 GOLDEN, 2 ALTREF). Returns a checksum or an error.
std::string resized_frame(vp9::DecoderOptions options, const std::vector<std::size_t>& spoiled,
                          const vp9::FrameSize& wrong);

/// Returns the lines of a text file.
std::vector<std::string> lines_of(const std::filesystem::path& path);

}  // namespace sidecore::test
