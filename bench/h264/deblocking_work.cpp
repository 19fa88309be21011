#include "h264/deblocking_work.h"

#include <array>
#include <fstream>
#include <type_traits>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/random.h"

namespace sidecore::h264 {
namespace {

// A capture: these characters, then the picture's width and height, the bytes of its
// video::PictureLayout, and its macroblocks as they are in memory.
constexpr std::array<char, 16> kMagic = {'s', 'i', 'd', 'e', 'c', 'o', 'r', 'e',
                                         '-', 'h', '2', '6', '4', '-', '1', '\n'};
static_assert(std::is_trivially_copyable_v<Macroblock>);

// Makes the macroblocks of one picture, in raster order.
class MacroblockMaker {
 public:
  MacroblockMaker(std::optional<int> index, std::uint64_t seed) : index_(index), random_(seed) {}

  Macroblock make(bool left_border, bool top_border) {
    Macroblock macroblock;
    const auto kind = random_.below(4);  // 0: skipped, 1: intra, otherwise inter
    const bool transform_8x8 = random_.below(3) == 0;
    for (const auto direction : {EdgeDirection::vertical, EdgeDirection::horizontal}) {
      const bool border = direction == EdgeDirection::vertical ? left_border : top_border;
      for (std::size_t edge = border ? 1 : 0; edge < kEdges; ++edge) {
        if (edge != 0 && (kind == 0 || (transform_8x8 && edge % 2 != 0))) continue;
        macroblock.strengths[static_cast<std::size_t>(direction)][edge] = strengths(kind, edge);
      }
    }
    for (auto& plane : macroblock.indices) {
      for (EdgeIndices& indices : plane) indices = {index(), index()};
    }
    return macroblock;
  }

 private:
  Strengths strengths(std::uint32_t kind, std::size_t edge) {
    Strengths all{};
    if (kind == 1) {
      all.fill(edge == 0 ? 4 : 3);
    } else if (edge == 0 && random_.below(4) == 0) {
      all.fill(4);  // the neighbour is intra
    } else {
      for (std::uint8_t& one : all) one = static_cast<std::uint8_t>(random_.below(3));
    }
    return all;
  }
  // Returns an index for which the filter does something in most cases.
  std::uint8_t index() {
    if (index_) return static_cast<std::uint8_t>(*index_);
    return static_cast<std::uint8_t>(random_.below(8) == 0 ? random_.below(16)
                                                           : 16 + random_.below(36));
  }

  std::optional<int> index_;
  Random random_;
};

}  // namespace

std::vector<Macroblock> random_macroblocks(const video::PictureFormat& format,
                                           std::optional<int> index, std::uint64_t seed) {
  MacroblockMaker maker(index, seed);
  std::vector<Macroblock> macroblocks;
  for (int y = 0; y < format.height; y += kMacroblock) {
    for (int x = 0; x < format.width; x += kMacroblock) {
      macroblocks.push_back(maker.make(x == 0, y == 0));
    }
  }
  return macroblocks;
}

bool is_capture(const std::filesystem::path& path) {
  std::array<char, kMagic.size()> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return start == kMagic;
}

DeblockingWork read_capture(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto damaged = [&] {
    return usage_error("'{}' is not a capture of an H.264 picture, or it is damaged",
                       path.string());
  };
  const auto read = [&](auto span) {
    const auto bytes = std::as_writable_bytes(span);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) throw damaged();
  };
  std::array<char, kMagic.size()> start{};
  std::array<std::int32_t, 2> size{};
  read(std::span(start));
  if (start != kMagic) throw damaged();
  read(std::span(size));
  const video::PictureFormat format{size[0], size[1], {}};
  DeblockingWork work{video::Picture(format), {}};
  work.macroblocks.resize(static_cast<std::size_t>(size[0] / kMacroblock) *
                          static_cast<std::size_t>(size[1] / kMacroblock));
  read(work.picture.bytes());
  read(std::span(work.macroblocks));
  check_macroblocks(format, work.macroblocks);
  return work;
}

void write_capture(const std::filesystem::path& path, const DeblockingWork& work) {
  AtomicFile file(path);
  const video::PictureFormat& format = work.picture.format();
  const std::array<std::int32_t, 2> size = {format.width, format.height};
  file.write(std::as_bytes(std::span(kMagic)));
  file.write(std::as_bytes(std::span(size)));
  file.write(work.picture.bytes());
  file.write(std::as_bytes(std::span(work.macroblocks)));
  file.commit();
}

}  // namespace sidecore::h264
