#include "av1/cdef.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/error.h"

namespace sidecore::av1 {
namespace {

// Returns floor(log2(value)); `value` must be above 0.
int floor_log2(std::uint32_t value) {
  return static_cast<int>(std::bit_width(value)) - 1;
}

int constrain(int difference, int threshold, int damping) {
  if (threshold == 0) return 0;
  const int size = std::abs(difference);
  const int limited = std::clamp(threshold - (size >> cdef_shift(threshold, damping)), 0, size);
  return difference < 0 ? -limited : limited;
}

// A sample's neighbours that the filter reads, and what they add up to.
template <class Sample>
struct TapSum {
  video::PlaneView<const Sample> plane;
  int x, y;
  int centre;
  int sum = 0, least, most;

  TapSum(const video::PlaneView<const Sample>& in, int column, int row)
      : plane(in), x(column), y(row), centre(in.row(row)[column]), least(centre), most(centre) {}

  // Adds both neighbours at a step. Neighbours outside the picture count as absent.
  void add(const std::array<int, 2>& step, int weight, int strength, int damping) {
    for (const int sign : {-1, 1}) {
      const int row = y + sign * step[0];
      const int column = x + sign * step[1];
      if (row < 0 || row >= plane.height || column < 0 || column >= plane.width) continue;
      const int tap = plane.row(row)[column];
      sum += weight * constrain(tap - centre, strength, damping);
      most = std::max(most, tap);
      least = std::min(least, tap);
    }
  }

  [[nodiscard]] int filtered() const {
    return std::clamp(centre + ((8 + sum - (sum < 0 ? 1 : 0)) >> 4), least, most);
  }
};

// Filters `side` x `side` samples from column `left` and row `top` on (section 7.15.2).
template <class Sample>
void filter(const video::PlaneView<const Sample>& from, const video::PlaneView<Sample>& to,
            int left, int top, int side, const CdefBlock& block, int bits) {
  const bool odd = ((block.primary >> (bits - 8)) & 1) != 0;
  const std::array<int, 2> primary_weights{odd ? 3 : 4, odd ? 3 : 2};
  constexpr std::array<int, 2> kSecondaryWeights{2, 1};
  const auto steps = [&](int turn) {
    return kCdefSteps[static_cast<std::size_t>((block.direction + turn) & 7)];
  };
  for (int y = top; y < top + side; ++y) {
    for (int x = left; x < left + side; ++x) {
      TapSum<Sample> taps(from, x, y);
      for (std::size_t k = 0; k < 2; ++k) {
        taps.add(steps(0)[k], primary_weights[k], block.primary, block.damping);
        for (const int turn : {-2, 2}) {
          taps.add(steps(turn)[k], kSecondaryWeights[k], block.secondary, block.damping);
        }
      }
      to.row(y)[x] = static_cast<Sample>(taps.filtered());
    }
  }
}

}  // namespace

void check_cdef_format(const video::PictureFormat& format) {
  video::check_format(format);
  const auto& [chroma, bits] = format.pixel;
  if ((chroma != video::Chroma::c420 && chroma != video::Chroma::c400) ||
      (bits != 8 && bits != 10) || format.width % kCdefBlock != 0 ||
      format.height % kCdefBlock != 0) {
    throw usage_error(
        "cdef: the picture is {}; it must be 4:2:0 or gray with 8 or 10 bits, and its width and "
        "height multiples of {}",
        to_string(format), kCdefBlock);
  }
}

void check_cdef_frame(const CdefFrame& frame, const video::PictureFormat& format) {
  const CdefGrid grid(format);
  if (frame.strengths.size() != grid.filter_blocks() ||
      frame.filtered.size() != grid.filter_blocks()) {
    throw usage_error("cdef: {} strengths and {} masks for {} filter blocks",
                      frame.strengths.size(), frame.filtered.size(), grid.filter_blocks());
  }
  if (frame.damping < 3 || frame.damping > 6) {
    throw usage_error("cdef: the damping is {}; it must be 3 to 6", frame.damping);
  }
  const auto valid = [](const CdefStrength& strength) {
    return strength.primary <= 15 && strength.secondary <= 4 && strength.secondary != 3;
  };
  for (std::size_t index = 0; index < grid.filter_blocks(); ++index) {
    const CdefStrengths& strengths = frame.strengths[index];
    if (!valid(strengths.luma) || !valid(strengths.chroma)) {
      throw usage_error("cdef: filter block {} has a strength out of range", index);
    }
    const int row = static_cast<int>(index) / grid.filter_columns;
    const int column = static_cast<int>(index) % grid.filter_columns;
    for (int bit = 0; bit < 64; ++bit) {
      const bool inside = 8 * row + bit / 8 < grid.rows && 8 * column + bit % 8 < grid.columns;
      if (!inside && (frame.filtered[index] >> bit & 1U) != 0) {
        throw usage_error("cdef: filter block {} filters block {}, which is outside the picture",
                          index, bit);
      }
    }
  }
}

int cdef_shift(int strength, int damping) {
  return std::max(0, damping - floor_log2(static_cast<std::uint32_t>(strength)));
}

template <class Sample>
CdefDirection find_cdef_direction(const Sample* samples, std::ptrdiff_t stride, int bits) {
  std::array<std::array<int, 15>, 8> partial{};
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int x = (samples[i * stride + j] >> (bits - 8)) - 128;
      const std::array lines{i + j,     i + j / 2,     i, 3 + i - j / 2,
                             7 + i - j, 3 - i / 2 + j, j, i / 2 + j};
      for (std::size_t d = 0; d < 8; ++d) partial[d][static_cast<std::size_t>(lines[d])] += x;
    }
  }
  // A line of n samples has the weight 840 / n (Div_Table).
  std::array<std::uint32_t, 8> cost{};
  const auto add = [&](std::size_t d, std::size_t line, std::uint32_t samples_in_line) {
    cost[d] +=
        static_cast<std::uint32_t>(partial[d][line] * partial[d][line]) * (840 / samples_in_line);
  };
  for (const std::size_t d : {2U, 6U}) {
    for (std::size_t line = 0; line < 8; ++line) add(d, line, 8);
  }
  for (const std::size_t d : {0U, 4U}) {
    for (std::uint32_t line = 0; line < 15; ++line) add(d, line, line < 8 ? line + 1 : 15 - line);
  }
  for (const std::size_t d : {1U, 3U, 5U, 7U}) {
    for (std::uint32_t line = 0; line < 11; ++line) {
      add(d, line, std::min({2 * line + 2, 8U, 22 - 2 * line}));
    }
  }
  const auto best = static_cast<std::size_t>(std::ranges::max_element(cost) - cost.begin());
  return {static_cast<int>(best), (cost[best] - cost[(best + 4) % 8]) >> 10};
}

CdefBlock cdef_of_luma(const CdefStrength& strength, const CdefDirection& found, int damping,
                       int bits) {
  const int shift = bits - 8;
  const int primary = strength.primary << shift;
  const std::uint32_t variance = found.variance;
  const int pronounced = variance >> 6 != 0 ? std::min(floor_log2(variance >> 6), 12) : 0;
  return {.primary = variance != 0 ? (primary * (4 + pronounced) + 8) >> 4 : 0,
          .secondary = strength.secondary << shift,
          .damping = damping + shift,
          .direction = primary != 0 ? found.direction : 0};
}

CdefBlock cdef_of_chroma(const CdefStrength& strength, const CdefDirection& found, int damping,
                         int bits) {
  const int shift = bits - 8;
  const int primary = strength.primary << shift;
  return {.primary = primary,
          .secondary = strength.secondary << shift,
          .damping = damping + shift - 1,
          .direction = primary != 0 ? found.direction : 0};
}

namespace {

/// Calls filter(plane, block) for each plane of a block of the picture, as for_each_cdef_plane().
template <class Sample, class Filter>
void for_each_plane(const CdefPlanes<Sample>& planes, const CdefFrame& frame, int column, int row,
                    const Filter& filter) {
  const video::PlaneView<const Sample>& luma = planes.from[0];
  const auto find = [&] {
    return find_cdef_direction(luma.row(row * kCdefBlock) + column * kCdefBlock, luma.stride,
                               planes.bits);
  };
  for_each_cdef_plane(frame, (luma.width + kCdefFilterBlock - 1) / kCdefFilterBlock, planes.planes,
                      planes.bits, column, row, find, filter);
}

const char* filters_of(const CdefBlock& block) {
  if (block.primary == 0) return block.secondary == 0 ? "copy" : "secondary";
  return block.secondary == 0 ? "primary" : "both";
}

}  // namespace

template <class Sample>
void cdef_block(const CdefPlanes<Sample>& planes, const CdefFrame& frame, int column, int row) {
  for_each_plane(planes, frame, column, row, [&](std::size_t plane, const CdefBlock& block) {
    const int side = plane == 0 ? kCdefBlock : kCdefBlock / 2;
    // Without strengths the filter copies.
    filter(planes.from[plane], planes.to[plane], column * side, row * side, side, block,
           planes.bits);
  });
}

template <class Sample>
std::string kind_of_cdef_block(const CdefPlanes<Sample>& planes, const CdefFrame& frame, int column,
                               int row) {
  std::array<CdefBlock, 3> blocks;
  for_each_plane(planes, frame, column, row,
                 [&](std::size_t plane, const CdefBlock& block) { blocks[plane] = block; });
  return fmt::format("luma {}, chroma {}", filters_of(blocks[0]), filters_of(blocks[1]));
}

template CdefDirection find_cdef_direction(const std::uint8_t*, std::ptrdiff_t, int);
template CdefDirection find_cdef_direction(const std::uint16_t*, std::ptrdiff_t, int);
template void cdef_block(const CdefPlanes<std::uint8_t>&, const CdefFrame&, int, int);
template void cdef_block(const CdefPlanes<std::uint16_t>&, const CdefFrame&, int, int);
template std::string kind_of_cdef_block(const CdefPlanes<std::uint8_t>&, const CdefFrame&, int,
                                        int);
template std::string kind_of_cdef_block(const CdefPlanes<std::uint16_t>&, const CdefFrame&, int,
                                        int);

}  // namespace sidecore::av1
