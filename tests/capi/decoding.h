// Helpers that decode the corpus through the C library's headers.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "libav/md5.h"
#include "sidecore/decoder.h"
#include "sidecore/metrics.h"
#include "video/packet_source.h"

namespace sidecore::capi_test {

using Packets = std::vector<std::vector<std::uint8_t>>;

struct Close {
  void operator()(sidecore_decoder* decoder) const { sidecore_decoder_close(decoder); }
  void operator()(sidecore_picture* picture) const { sidecore_picture_unref(picture); }
  void operator()(sidecore_scorer* scorer) const { sidecore_scorer_close(scorer); }
};
using Decoder = std::unique_ptr<sidecore_decoder, Close>;
using Picture = std::unique_ptr<sidecore_picture, Close>;
using Scorer = std::unique_ptr<sidecore_scorer, Close>;

inline std::string corpus(const std::string& name) {
  return SIDECORE_VP9_CORPUS "/" + name;
}

inline Packets packets_of(const std::string& stream) {
  const auto source = video::open_ivf(std::make_unique<video::ByteStream>(corpus(stream + ".ivf")));
  return video::read_packets(*source);
}

inline std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Returns FFmpeg's MD5 of each frame of a stream.
inline std::vector<std::string> frame_checksums(const std::string& stream) {
  std::vector<std::string> checksums;
  for (const std::string& line : lines_of(corpus(stream + ".framemd5"))) {
    if (!line.starts_with('#')) checksums.push_back(line.substr(line.rfind(' ') + 1));
  }
  return checksums;
}

inline sidecore_decoder_options options_of(int threads) {
  sidecore_decoder_options options{};
  options.size = sizeof options;
  options.threads = threads;
  return options;
}

inline Decoder open(const sidecore_decoder_options& options) {
  sidecore_decoder* decoder = nullptr;
  EXPECT_EQ(sidecore_decoder_open(&decoder, &options), SIDECORE_OK) << sidecore_last_error();
  return Decoder(decoder);
}

inline sidecore_picture_info info_of(const Picture& picture) {
  sidecore_picture_info info{};
  info.size = sizeof info;
  EXPECT_EQ(sidecore_picture_get_info(picture.get(), &info), SIDECORE_OK);
  return info;
}

inline void digest(const Picture& picture, libav::Md5& md5) {
  const sidecore_picture_info info = info_of(picture);
  for (int plane = 0; plane < 3; ++plane) {
    const auto bytes = static_cast<std::size_t>(info.plane_width[plane]) * (info.bits > 8 ? 2 : 1);
    for (int row = 0; row < info.plane_height[plane]; ++row) {
      const auto* data = static_cast<const std::byte*>(info.data[plane]);
      md5.update({data + row * info.stride[plane], bytes});
    }
  }
}

inline std::string checksum(const Picture& picture) {
  libav::Md5 md5;
  digest(picture, md5);
  return md5.finish();
}

inline std::vector<std::string> checksums(const std::vector<Picture>& pictures) {
  std::vector<std::string> all;
  for (const Picture& picture : pictures) all.push_back(checksum(picture));
  return all;
}

inline void take(const Decoder& decoder, std::vector<Picture>& pictures) {
  sidecore_picture* picture = nullptr;
  while (sidecore_decoder_get_picture(decoder.get(), &picture) == SIDECORE_OK) {
    pictures.emplace_back(picture);
  }
  EXPECT_EQ(picture, nullptr);
}

/// Sends the packets; packet n has the time stamp 10 n and its bytes as the cookie. Returns the
/// result of each send.
inline std::vector<int> send(const Decoder& decoder, Packets& packets,
                             std::vector<Picture>& pictures) {
  std::vector<int> errors;
  for (std::size_t index = 0; index < packets.size(); ++index) {
    errors.push_back(sidecore_decoder_send(decoder.get(), packets[index].data(),
                                           packets[index].size(), 10 * std::int64_t(index),
                                           packets[index].data()));
    take(decoder, pictures);
  }
  return errors;
}

inline std::vector<Picture> decode(const sidecore_decoder_options& options, Packets& packets) {
  const Decoder decoder = open(options);
  std::vector<Picture> pictures;
  for (const int error : send(decoder, packets, pictures)) EXPECT_EQ(error, SIDECORE_OK);
  EXPECT_EQ(sidecore_decoder_drain(decoder.get()), SIDECORE_OK);
  take(decoder, pictures);
  return pictures;
}

}  // namespace sidecore::capi_test
