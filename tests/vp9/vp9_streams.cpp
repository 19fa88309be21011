#include "vp9/vp9_streams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
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

/// Checksums of each frame, as FFmpeg prints them, and of the whole stream, as vpxdec does.
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

std::string stream_checksum(const std::vector<Bytes>& packets, const vp9::DecoderOptions& options) {
  return decode(packets, options).stream;
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
  // Half of the changes are at the start, because damage in the headers has the greatest effect.
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

constexpr std::size_t kTileSizeBytes = 4;

std::uint32_t tile_size_at(std::span<const std::uint8_t> bytes) {
  std::uint32_t size = 0;
  for (std::size_t index = 0; index < kTileSizeBytes; ++index) size = size << 8U | bytes[index];
  return size;
}

/// Position of a tile's size.
struct TileSize {
  std::size_t packet = 0;
  std::size_t byte = 0;
};

/// Returns the positions of all tile sizes in a stream.
std::vector<TileSize> tile_sizes_of(const std::vector<Bytes>& packets) {
  std::vector<TileSize> places;
  vp9::HeaderContext context;
  for (std::size_t index = 0; index < packets.size(); ++index) {
    const vp9::Superframe superframe = vp9::split_superframe(packets[index]);
    for (std::size_t number = 0; number < superframe.count; ++number) {
      const std::span<const std::uint8_t> frame = superframe.frames[number];
      const vp9::FrameHeader header = vp9::parse_frame_header(frame, context);
      if (header.show_existing_frame) continue;
      std::size_t at = header.uncompressed_bytes + header.compressed_bytes;
      // The last tile of a frame has no size field.
      const int sizes = (1 << (header.tile_columns_log2 + header.tile_rows_log2)) - 1;
      for (int tile = 0; tile < sizes; ++tile) {
        const auto before = static_cast<std::size_t>(frame.data() - packets[index].data());
        places.push_back({index, before + at});
        at += kTileSizeBytes + tile_size_at(frame.subspan(at));
      }
      for (std::size_t slot = 0; slot < vp9::kReferenceSlots; ++slot) {
        if ((header.refresh_slots >> slot & 1) != 0) context.hold(slot, header.size, header.pixel);
      }
      context.keep(header);
    }
  }
  return places;
}

// Sets a tile's size to 0, to one more or less, to an impossible size, or to any value.
void damage_tile_size(const TileSize& place, std::vector<Bytes>& packets, Random& random) {
  const std::span<std::uint8_t> packet = packets[place.packet];
  // An earlier mutation has cut the packet before this field.
  if (packet.size() < place.byte + kTileSizeBytes) return;
  const std::span<std::uint8_t> bytes = packet.subspan(place.byte, kTileSizeBytes);
  const std::uint32_t right = tile_size_at(bytes);
  const std::array<std::uint32_t, 5> wrong{0, right + 1, right - 1, 0xffffffffU,
                                           random.below(static_cast<std::uint32_t>(packet.size()))};
  std::uint32_t size = wrong[random.below(wrong.size())];
  for (std::size_t index = kTileSizeBytes; index > 0; --index, size >>= 8U) {
    bytes[index - 1] = static_cast<std::uint8_t>(size);
  }
}

// Removes packets, repeats them, or inserts those of another stream, as networks and files may do.
void disturb(std::vector<Bytes>& packets, const std::vector<Bytes>& foreign, Random& random) {
  const std::uint32_t kind = random.below(8);
  const auto at = packets.begin() + static_cast<std::ptrdiff_t>(
                                        random.below(static_cast<std::uint32_t>(packets.size())));
  if (kind < 2) {
    packets.erase(at);
  } else if (kind == 2) {
    const Bytes twice = *at;
    packets.insert(at, twice);
  } else if (kind == 3) {
    *at = foreign[random.below(static_cast<std::uint32_t>(foreign.size()))];
  }
}

}  // namespace

void for_each_damaged_stream(
    int mutations, const std::function<void(const std::vector<Bytes>&, const std::string&)>& visit,
    std::uint64_t seed) {
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
                                   "error-resilient-alt-ref",
                                   "profile-1-422-odd"};
  Random random(seed);
  const std::vector<Bytes> foreign = corpus_packets("size-66x66");
  for (const char* const name : kStreams) {
    std::vector<Bytes> packets = corpus_packets(name);
    packets.resize(std::min<std::size_t>(packets.size(), 8));
    const std::vector<TileSize> tile_sizes = tile_sizes_of(packets);
    for (int mutation = 0; mutation < mutations; ++mutation) {
      std::vector<Bytes> damaged = packets;
      if (!tile_sizes.empty() && random.below(2) == 0) {
        const std::uint32_t which = random.below(static_cast<std::uint32_t>(tile_sizes.size()));
        damage_tile_size(tile_sizes[which], damaged, random);
      }
      for (std::uint32_t count = 1 + random.below(3); count > 0; --count) {
        damage(damaged[random.below(static_cast<std::uint32_t>(damaged.size()))], random);
      }
      disturb(damaged, foreign, random);
      visit(damaged, fmt::format("{} {} of seed {:#x}", name, mutation, seed));
    }
  }
}

}  // namespace sidecore::test
