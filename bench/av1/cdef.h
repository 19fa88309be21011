// AV1's constrained directional enhancement filter (CDEF), AV1 specification section 7.15: scalar
// definition, for pictures of 4:2:0 or luma alone, with 8 or 10 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "video/picture.h"

namespace sidecore::av1 {

inline constexpr int kCdefBlock = 8;         ///< side of a block in luma samples
inline constexpr int kCdefFilterBlock = 64;  ///< side of a filter block, which has one strength

/// Strengths as the frame header states them (section 5.9.19), for samples of 8 bits.
struct CdefStrength {
  std::uint8_t primary = 0;    ///< 0..15
  std::uint8_t secondary = 0;  ///< 0, 1, 2 or 4
  bool operator==(const CdefStrength&) const = default;
};
struct CdefStrengths {
  CdefStrength luma, chroma;
  bool operator==(const CdefStrengths&) const = default;
};

/// A frame's input of the filter besides its samples. Filter blocks are listed in raster order;
/// those at the right and lower border may be partly outside the picture.
struct CdefFrame {
  int damping = 3;  ///< CdefDamping, 3..6
  /// Strengths of each filter block of 64x64 luma samples. A filter block that the stream gives no
  /// strength (cdef_idx -1) has only skipped blocks.
  std::vector<CdefStrengths> strengths = {};
  /// For each filter block: bit 8 * row + column is set if the block of 8x8 luma samples in that
  /// row and column of the filter block is filtered, which it is unless all its parts are skipped.
  std::vector<std::uint64_t> filtered = {};

  bool operator==(const CdefFrame&) const = default;
};

/// Number of blocks and filter blocks in each direction.
struct CdefGrid {
  explicit CdefGrid(const video::PictureFormat& format)
      : columns((format.width + kCdefBlock - 1) / kCdefBlock),
        rows((format.height + kCdefBlock - 1) / kCdefBlock),
        filter_columns((format.width + kCdefFilterBlock - 1) / kCdefFilterBlock),
        filter_rows((format.height + kCdefFilterBlock - 1) / kCdefFilterBlock) {}

  [[nodiscard]] std::size_t blocks() const {
    return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  }
  [[nodiscard]] std::size_t filter_blocks() const {
    return static_cast<std::size_t>(filter_columns) * static_cast<std::size_t>(filter_rows);
  }
  int columns, rows, filter_columns, filter_rows;
};

/// Throws Error (usage) unless the format is 4:2:0 or 4:0:0 with 8 or 10 bits and its size is a
/// multiple of 8 luma samples. A decoder's frames are: it rounds their size up (section 7.15.2,
/// is_inside_filter_region).
void check_cdef_format(const video::PictureFormat& format);
/// Throws Error (usage) unless the lists have one element for each filter block, all values are in
/// their ranges, and no bit stands for a block outside the picture.
void check_cdef_frame(const CdefFrame& frame, const video::PictureFormat& format);

/// Planes before and after the filter; they must not overlap. `planes` is 1 or 3.
template <class Sample>
struct CdefPlanes {
  std::array<video::PlaneView<const Sample>, 3> from;
  std::array<video::PlaneView<Sample>, 3> to;
  int planes = 3;
  int bits = 8;
};

/// Returns the planes of two pictures of the same format.
template <class Sample>
[[nodiscard]] CdefPlanes<Sample> cdef_planes(const video::Picture& from, video::Picture& to) {
  CdefPlanes<Sample> planes{
      .from = {}, .to = {}, .planes = to.format().pixel.planes(), .bits = to.format().pixel.bits};
  for (int plane = 0; plane < planes.planes; ++plane) {
    planes.from[static_cast<std::size_t>(plane)] = from.plane<Sample>(plane);
    planes.to[static_cast<std::size_t>(plane)] = to.plane<Sample>(plane);
  }
  return planes;
}

/// How a block is filtered, in samples of the plane's depth.
struct CdefBlock {
  int primary = 0;    ///< primary strength; 0: none
  int secondary = 0;  ///< secondary strength; 0: none
  int damping = 0;
  int direction = 0;  ///< 0..7: 45 degrees upwards to the right, then clockwise by 22.5 degrees
  bool operator==(const CdefBlock&) const = default;
};

/// Direction of a block's edges, and how pronounced it is (section 7.15.2).
struct CdefDirection {
  int direction = 0;  ///< 0..7
  std::uint32_t variance = 0;
  bool operator==(const CdefDirection&) const = default;
};

/// Finds the direction of the 8x8 samples of `bits` bits that begin at `samples`.
template <class Sample>
[[nodiscard]] CdefDirection find_cdef_direction(const Sample* samples, std::ptrdiff_t stride,
                                                int bits);

/// Returns true if a block with these strengths needs its direction.
[[nodiscard]] inline bool needs_cdef_direction(const CdefStrengths& strengths) {
  return strengths.luma.primary != 0 || strengths.chroma.primary != 0;
}
/// Returns how luma or chroma of a block is filtered (section 7.15.1).
[[nodiscard]] CdefBlock cdef_of_luma(const CdefStrength& strength, const CdefDirection& found,
                                     int damping, int bits);
[[nodiscard]] CdefBlock cdef_of_chroma(const CdefStrength& strength, const CdefDirection& found,
                                       int damping, int bits);

/// Steps of a direction: kCdefSteps[direction][k] is the k-th sample's row and column, relative to
/// the filtered sample (Cdef_Directions).
inline constexpr std::array<std::array<std::array<int, 2>, 2>, 8> kCdefSteps{{
    {{{-1, 1}, {-2, 2}}},
    {{{0, 1}, {-1, 2}}},
    {{{0, 1}, {0, 2}}},
    {{{0, 1}, {1, 2}}},
    {{{1, 1}, {2, 2}}},
    {{{1, 0}, {2, 1}}},
    {{{1, 0}, {2, 0}}},
    {{{1, 0}, {2, -1}}},
}};

/// Shift of a difference before it is subtracted from the strength (constrain()), at least 0.
[[nodiscard]] int cdef_shift(int strength, int damping);

/// Filters the luma and chroma samples of the block in this column and row of blocks into
/// `planes.to`; copies them if the block is not filtered. Blocks can be filtered in any order.
template <class Sample>
void cdef_block(const CdefPlanes<Sample>& planes, const CdefFrame& frame, int column, int row);

/// Returns which filters change the block's luma and chroma: "luma both, chroma copy". Each is
/// copy, primary, secondary or both. cdef_block() runs the same code for blocks of the same kind.
template <class Sample>
[[nodiscard]] std::string kind_of_cdef_block(const CdefPlanes<Sample>& planes,
                                             const CdefFrame& frame, int column, int row);

/// NEON implementation of find_cdef_direction(), with the same result.
template <class Sample>
[[nodiscard]] CdefDirection find_cdef_direction_neon(const Sample* samples, std::ptrdiff_t stride,
                                                     int bits);
/// NEON implementation of cdef_block(), with the same samples.
template <class Sample>
void cdef_block_neon(const CdefPlanes<Sample>& planes, const CdefFrame& frame, int column, int row);

/// Calls filter(plane, block) for each plane of a block of the picture, in order. `block` has no
/// strengths if the samples must be copied. Calls find(), which returns a CdefDirection, at most
/// once, and only if a plane needs the direction.
template <class Find, class Filter>
void for_each_cdef_plane(const CdefFrame& frame, int filter_columns, int planes, int bits,
                         int column, int row, const Find& find, const Filter& filter) {
  const int filter_block = row / 8 * filter_columns + column / 8;
  const auto index = static_cast<std::size_t>(filter_block);
  CdefBlock luma;
  CdefBlock chroma;
  if ((frame.filtered[index] >> (row % 8 * 8 + column % 8) & 1U) != 0) {
    const CdefStrengths& strengths = frame.strengths[index];
    const CdefDirection found = needs_cdef_direction(strengths) ? find() : CdefDirection{};
    luma = cdef_of_luma(strengths.luma, found, frame.damping, bits);
    chroma = cdef_of_chroma(strengths.chroma, found, frame.damping, bits);
  }
  for (std::size_t plane = 0; plane < static_cast<std::size_t>(planes); ++plane) {
    filter(plane, plane == 0 ? luma : chroma);
  }
}

}  // namespace sidecore::av1
