#include "tools/count_codec_filters.h"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "av1/cdef.h"
#include "base/random.h"
#include "h264/deblocking.h"
#include "h264/deblocking_kinds.h"
#include "tools/instruction_count.h"
#include "video/picture.h"

namespace sidecore::bench {
namespace {

// Functions for AV1's CDEF: the middle block of a picture of 3x3 blocks of noise.

template <class Sample>
void count_cdef(int bits) {
  const video::PictureFormat format{
      3 * av1::kCdefBlock, 3 * av1::kCdefBlock, {video::Chroma::c420, bits}};
  video::Picture from(format);
  video::Picture to(format);
  Random random(3);
  for (int plane = 0; plane < format.pixel.planes(); ++plane) {
    const auto samples = from.plane<Sample>(plane);
    for (int y = 0; y < samples.height; ++y) {
      for (int x = 0; x < samples.width; ++x) {
        samples.row(y)[x] = static_cast<Sample>(random.below(1U << bits));
      }
    }
  }
  const auto planes = av1::cdef_planes<Sample>(from, to);
  constexpr std::array kStrengths = {av1::CdefStrength{0, 0}, av1::CdefStrength{0, 2},
                                     av1::CdefStrength{8, 0}, av1::CdefStrength{8, 2}};
  constexpr std::uint64_t kMiddle = std::uint64_t{1} << 9U;
  for (const av1::CdefStrength& luma : kStrengths) {
    for (const av1::CdefStrength& chroma : kStrengths) {
      const av1::CdefStrengths strengths{luma, chroma};
      const bool copied = strengths == av1::CdefStrengths{};
      const av1::CdefFrame frame{
          .damping = 5, .strengths = {strengths}, .filtered = {copied ? 0 : kMiddle}};
      const std::string kind = av1::kind_of_cdef_block(planes, frame, 1, 1);
      const auto count = [&](const char* implementation, const auto& filter) {
        count_instructions(
            count_line("cdef", kind, bits, "block", 1, implementation), [] {},
            [&] { filter(planes, frame, 1, 1); });
      };
      count("scalar", av1::cdef_block<Sample>);
      count("NEON", av1::cdef_block_neon<Sample>);
    }
  }
}

// Functions for H.264's deblocking: edges between two flat areas, and macroblocks without an edge.

constexpr std::size_t kTiles = 32;
constexpr std::size_t kTile = 16;  // side of a tile in samples
constexpr std::size_t kStride = kTile * kTiles;

struct DeblockingInput {
  std::uint8_t step;  ///< difference between the areas
  h264::Strengths strengths;
};
constexpr h264::Strengths kWeakStrengths{1, 2, 3, 2};
constexpr h264::Strengths kStrongest{4, 4, 4, 4};
constexpr h264::EdgeIndices kIndices{34, 34};  // alpha is 40, beta is 10

/// Returns a row of tiles of kTile x kTile samples. An edge crosses the middle of each.
std::vector<std::uint8_t> make_tiles(h264::EdgeDirection direction, std::uint8_t step) {
  std::vector<std::uint8_t> samples(kStride * kTile);
  for (std::size_t at = 0; at < samples.size(); ++at) {
    const std::size_t across =
        direction == h264::EdgeDirection::vertical ? at % kTile : at / kStride;
    samples[at] = static_cast<std::uint8_t>(60 + (across < kTile / 2 ? 0 : step));
  }
  return samples;
}

/// Counts the edges of all tiles. filter(kernels, q0) filters one, whose first sample is q0.
template <class Filter>
void count_tiles(const h264::DeblockingKind& kind, std::vector<std::uint8_t> samples,
                 std::size_t first, const Filter& filter) {
  std::vector<std::uint8_t> work;
  const auto count = [&](const char* implementation, const h264::DeblockingKernels& kernels) {
    count_instructions(
        count_line(kind.kernel, kind.input, 8, "edge", kTiles, implementation),
        [&] { work = samples; },
        [&] {
          for (std::size_t tile = 0; tile < kStride; tile += kTile) {
            filter(kernels, &work[first + tile]);
          }
        });
  };
  count("scalar", h264::scalar_deblocking());
  count("NEON", h264::neon_deblocking());
}

void count_deblocking_edges(h264::EdgeDirection direction) {
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kStride);
  constexpr std::array kInputs = {DeblockingInput{100, kWeakStrengths},
                                  DeblockingInput{16, kWeakStrengths},
                                  DeblockingInput{16, kStrongest}, DeblockingInput{8, kStrongest}};
  const bool vertical = direction == h264::EdgeDirection::vertical;
  const std::size_t first = vertical ? kTile / 2 : kTile / 2 * kStride;
  const std::size_t second_plane = vertical ? kTile / 2 * kStride : kTile / 2;
  for (const DeblockingInput& input : kInputs) {
    const std::uint8_t step = input.step;
    const h264::Strengths& strengths = input.strengths;
    std::vector<std::uint8_t> samples = make_tiles(direction, step);
    std::uint8_t* const q0 = &samples[first];
    const auto thresholds = h264::edge_thresholds(kIndices);
    // The caller finds the thresholds for each call.
    count_tiles(h264::kind_of_luma(q0, kStep, direction, strengths, thresholds), samples, first,
                [&](const h264::DeblockingKernels& kernels, std::uint8_t* at) {
                  kernels.luma(at, kStep, direction, strengths, h264::edge_thresholds(kIndices));
                });
    if (step == 8) continue;  // chroma has no case of its own for small steps
    count_tiles(h264::kind_of_chroma({q0, q0 + second_plane}, kStep, direction, strengths,
                                     {thresholds, thresholds}),
                samples, first, [&](const h264::DeblockingKernels& kernels, std::uint8_t* at) {
                  kernels.chroma(
                      {at, at + second_plane}, kStep, direction, strengths,
                      {h264::edge_thresholds(kIndices), h264::edge_thresholds(kIndices)});
                });
  }
}

void count_empty_macroblocks() {
  constexpr int kMacroblocks = 8;
  video::Picture picture({kMacroblocks * h264::kMacroblock, h264::kMacroblock, {}});
  const h264::Planes planes = h264::planes_of(picture);
  const std::vector<h264::Macroblock> macroblocks(kMacroblocks);
  const auto count = [&](const char* implementation, const h264::DeblockingKernels& kernels) {
    count_instructions(
        count_line(h264::kMacroblockKind.kernel, h264::kMacroblockKind.input, 8, "macroblock",
                   kMacroblocks, implementation),
        [] {}, [&] { h264::deblock(kernels, planes, macroblocks, 0, kMacroblocks); });
  };
  count("scalar", h264::scalar_deblocking());
  count("NEON", h264::neon_deblocking());
}

}  // namespace

void count_codec_filters() {
  count_cdef<std::uint8_t>(8);
  count_cdef<std::uint16_t>(10);
  count_deblocking_edges(h264::EdgeDirection::vertical);
  count_deblocking_edges(h264::EdgeDirection::horizontal);
  count_empty_macroblocks();
}

}  // namespace sidecore::bench
