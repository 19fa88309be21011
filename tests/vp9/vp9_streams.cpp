#include "vp9/vp9_streams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "base/error.h"
#include "base/random.h"
#include "libav/md5.h"
#include "libav/open.h"
#include "video/packet_source.h"
#include "video/planar_writer.h"
#include "vp9/superframe.h"

namespace sidecore::test {
namespace {

/// What the two other decoders are compared by.
struct Checksums {
  std::vector<std::string> frames;
  std::string stream;
};

Checksums decode(const std::vector<Bytes>& packets, const vp9::DecoderOptions& options) {
  Checksums checksums;
  libav::Md5 all;
  std::vector<std::byte> samples;
  vp9::Decoder decoder(options);
  const vp9::Decoder::Show look = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    checksums.frames.push_back(checksum(*frame));
    video::pack_planar(frame->memory, frame->format(), samples);
    all.update(samples);
  };
  for (const Bytes& packet : packets) decoder.decode(packet, look);
  decoder.flush(look);
  checksums.stream = all.finish();
  return checksums;
}

}  // namespace

std::vector<std::filesystem::path> corpus_streams(const std::vector<std::string>& prefixes) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(SIDECORE_VP9_CORPUS)) {
    const std::string name = entry.path().filename();
    const bool wanted = std::ranges::any_of(
        prefixes, [&](const std::string& prefix) { return name.starts_with(prefix); });
    if (wanted && entry.path().extension() == ".ivf") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<Bytes> corpus_packets(const std::string& name) {
  return read_packets(std::filesystem::path(SIDECORE_VP9_CORPUS) / (name + ".ivf"));
}

std::vector<Bytes> read_packets(const std::filesystem::path& path) {
  return video::read_packets(*libav::open_packets(path));
}

std::vector<Bytes> frames_of(const std::vector<Bytes>& packets) {
  std::vector<Bytes> frames;
  for (const Bytes& packet : packets) {
    const vp9::Superframe superframe = vp9::split_superframe(packet);
    for (std::size_t index = 0; index < superframe.count; ++index) {
      frames.emplace_back(superframe.frames[index].begin(), superframe.frames[index].end());
    }
  }
  return frames;
}

std::string checksum(const vp9::FrameBuffer& frame) {
  std::vector<std::byte> samples;
  video::pack_planar(frame.memory, frame.format(), samples);
  libav::Md5 md5;
  md5.update(samples);
  return fmt::format("{} {}", samples.size(), md5.finish());
}

std::vector<std::string> decoded_checksums(const std::vector<Bytes>& packets,
                                           const vp9::DecoderOptions& options) {
  std::vector<std::string> checksums;
  vp9::Decoder decoder(options);
  const vp9::Decoder::Show look = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    checksums.push_back(checksum(*frame));
  };
  for (const Bytes& packet : packets) decoder.decode(packet, look);
  decoder.flush(look);
  return checksums;
}

void expect_agreement(const std::vector<std::string>& prefixes, std::size_t least_streams,
                      const vp9::DecoderOptions& options) {
  const std::vector<std::filesystem::path> streams = corpus_streams(prefixes);
  EXPECT_GE(streams.size(), least_streams);
  for (const std::filesystem::path& path : streams) {
    SCOPED_TRACE(path.filename());
    const Checksums ours = decode(read_packets(path), options);
    EXPECT_EQ(ours.frames, lines_of(std::filesystem::path(path).replace_extension("framemd5")));
    EXPECT_EQ(ours.stream, lines_of(std::filesystem::path(path).replace_extension("md5")).at(0));
  }
}

std::string resized_frame(vp9::DecoderOptions options, const std::vector<std::size_t>& spoiled,
                          const vp9::FrameSize& wrong) {
  const std::vector<Bytes> frames = frames_of(corpus_packets("resize-odd"));
  const video::PixelFormat pixel{video::Chroma::c420, 8};
  options.threads = 1;
  options.show_hidden = true;
  vp9::Decoder decoder(std::move(options));
  vp9::HeaderContext context;
  std::array<std::shared_ptr<const vp9::FrameBuffer>, vp9::kReferenceSlots> slots;
  std::shared_ptr<const vp9::FrameBuffer> decoded;
  const vp9::Decoder::Show show = [&](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
    decoded = frame;
  };
  for (std::size_t number = 0; number <= kResizedFrame; ++number) {
    const vp9::FrameHeader header = vp9::parse_frame_header(frames[number], context);
    if (number == kResizedFrame) {
      EXPECT_EQ(header.size, kResizedSize);
      for (const std::size_t reference : spoiled) {
        slots[header.reference_slots[reference]] = decoder.grey_frame(wrong, pixel);
      }
    }
    try {
      static_cast<void>(decoder.decode_frame(frames[number], pixel, slots, show, {}));
    } catch (const Error& error) {
      return error.what();
    }
    for (std::size_t slot = 0; slot < slots.size(); ++slot) {
      if ((header.refresh_slots >> slot & 1) == 0) continue;
      slots[slot] = decoded;
      context.hold(slot, header.size, header.pixel);
    }
    context.keep(header);
  }
  return checksum(*decoded);
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path.native());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

namespace {

// Changes a packet in one of the ways in which data is damaged.
void damage(Bytes& packet, Random& random) {
  if (packet.empty()) return;
  const auto size = static_cast<std::uint32_t>(packet.size());
  // The headers are at the start, and say most.
  const std::uint32_t reach = random.below(2) == 0 ? std::min(size, 24U) : size;
  switch (random.below(4)) {
    case 0:
      packet[random.below(reach)] ^= static_cast<std::uint8_t>(1U << random.below(8));
      break;
    case 1:
      packet[random.below(reach)] = static_cast<std::uint8_t>(random.below(256));
      break;
    case 2:
      packet.resize(random.below(size));
      break;
    default: {
      const auto from = static_cast<std::ptrdiff_t>(random.below(size));
      const auto count =
          std::min<std::ptrdiff_t>(random.below(16), packet.end() - packet.begin() - from);
      packet.erase(packet.begin() + from, packet.begin() + from + count);
    }
  }
}

}  // namespace

void for_each_damaged_stream(
    int mutations,
    const std::function<void(const std::vector<Bytes>&, const std::string&)>& visit) {
  constexpr std::array kStreams = {"size-35x66",
                                   "size-10x6",
                                   "aq-cyclic",
                                   "resize-tiny",
                                   "lossless-odd",
                                   "tile-rows-columns",
                                   "profile-2-10",
                                   "key-frames",
                                   "alt-ref-aq",
                                   "profile-1-444",
                                   "error-resilient-alt-ref"};
  Random random(0x5eed);
  for (const char* const name : kStreams) {
    std::vector<Bytes> packets = corpus_packets(name);
    packets.resize(std::min<std::size_t>(packets.size(), 8));
    for (int mutation = 0; mutation < mutations; ++mutation) {
      std::vector<Bytes> damaged = packets;
      for (std::uint32_t count = 1 + random.below(3); count > 0; --count) {
        damage(damaged[random.below(static_cast<std::uint32_t>(damaged.size()))], random);
      }
      visit(damaged, name + (" " + std::to_string(mutation)));
    }
  }
}

}  // namespace sidecore::test
