// Deblocks pictures of captures (h264_capture) by NEON and by FFmpeg's functions, from its static
// library.
//
// - h264_deblocking_captures FILE...: compares the samples of all implementations with the scalar
//   definition's, on the captures, and on random and extreme pictures.
// - h264_deblocking_captures --count FILE...: counts the instructions of each picture, in the
//   emulator of scripts/armsim-cycles. A line has file, implementation, macroblocks, and filtered
//   luma edges: vertical and horizontal ones.
extern "C" {
#include <libavutil/cpu.h>
}
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "h264/deblocking.h"
#include "h264/deblocking_qpu.h"
#include "h264/deblocking_work.h"
#include "tools/h264_dsp.h"
#include "tools/instruction_count.h"

extern "C" {
void ff_h264dsp_init(sidecore::bench::FfmpegH264Dsp* dsp, int bits, int chroma);
}

namespace sidecore::bench {
namespace {

using h264::EdgeDirection;

/// Returns FFmpeg's table: of C code, or of code for this processor.
const FfmpegH264Dsp& ffmpeg(bool c_only) {
  static const auto kTables = [] {
    std::array<FfmpegH264Dsp, 2> tables{};
    for (const bool c : {true, false}) {
      av_force_cpu_flags(c ? 0 : -1);
      ff_h264dsp_init(&tables[c ? 1 : 0], 8, 1);
    }
    return tables;
  }();
  return kTables[c_only ? 1 : 0];
}

template <bool c_only>
void filter_luma(std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction,
                 const h264::Strengths& strengths, const h264::EdgeThresholds& thresholds) {
  const FfmpegH264Dsp& dsp = ffmpeg(c_only);
  const auto& [alpha, beta, tc0] = thresholds;
  if (alpha == 0 || beta == 0) return;  // FFmpeg's decoder skips it too
  const bool vertical = direction == EdgeDirection::vertical;
  if (strengths[0] == 4) {
    return (vertical ? dsp.h_luma_strong : dsp.v_luma_strong)(q0, stride, alpha, beta);
  }
  std::array<std::int8_t, h264::kEdges> tc{};
  for (std::size_t segment = 0; segment < tc.size(); ++segment) {
    const std::uint8_t strength = strengths[segment];
    tc[segment] = static_cast<std::int8_t>(strength == 0 ? -1 : tc0[strength]);
  }
  (vertical ? dsp.h_luma : dsp.v_luma)(q0, stride, alpha, beta, tc.data());
}

template <bool c_only>
void filter_chroma(const std::array<std::uint8_t*, 2>& q0, std::ptrdiff_t stride,
                   EdgeDirection direction, const h264::Strengths& strengths,
                   const std::array<h264::EdgeThresholds, 2>& thresholds) {
  const FfmpegH264Dsp& dsp = ffmpeg(c_only);
  const bool vertical = direction == EdgeDirection::vertical;
  for (std::size_t plane = 0; plane < q0.size(); ++plane) {
    const auto& [alpha, beta, tc0] = thresholds[plane];
    if (alpha == 0 || beta == 0) continue;
    if (strengths[0] == 4) {
      (vertical ? dsp.h_chroma_strong : dsp.v_chroma_strong)(q0[plane], stride, alpha, beta);
      continue;
    }
    std::array<std::int8_t, h264::kEdges> tc{};
    for (std::size_t segment = 0; segment < tc.size(); ++segment) {
      const std::uint8_t strength = strengths[segment];
      tc[segment] = static_cast<std::int8_t>(strength == 0 ? 0 : tc0[strength] + 1);
    }
    (vertical ? dsp.h_chroma : dsp.v_chroma)(q0[plane], stride, alpha, beta, tc.data());
  }
}

struct Implementation {
  std::string_view name;
  h264::DeblockingKernels kernels;
};
std::vector<Implementation> implementations() {
  return {{"NEON", h264::neon_deblocking()},
          {"FFmpeg", {filter_luma<false>, filter_chroma<false>}},
          {"FFmpeg-C", {filter_luma<true>, filter_chroma<true>}}};
}

void deblock(const h264::DeblockingKernels& kernels, video::Picture& picture,
             const h264::DeblockingWork& work) {
  h264::deblock(kernels, h264::planes_of(picture), work.macroblocks, 0, work.macroblocks.size());
}

void restore(const h264::DeblockingWork& work, video::Picture& picture) {
  std::ranges::copy(work.picture.bytes(), picture.bytes().begin());
}

void compare(const std::string& what, const h264::DeblockingWork& work) {
  video::Picture scalar(work.picture.format());
  restore(work, scalar);
  deblock(h264::scalar_deblocking(), scalar, work);
  for (const Implementation& implementation : implementations()) {
    video::Picture picture(work.picture.format());
    restore(work, picture);
    deblock(implementation.kernels, picture, work);
    if (!std::ranges::equal(picture.bytes(), scalar.bytes())) {
      throw Error(ErrorKind::failed, fmt::format("{}: {}'s samples differ from the definition's",
                                                 what, implementation.name));
    }
  }
}

/// Compares on pictures of random samples, of noise around one value, and of 0 and 255.
void compare_random_pictures() {
  constexpr video::PictureFormat kFormat{320, 192, {}};
  for (const std::uint32_t range : {256U, 8U, 2U}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      h264::DeblockingWork work{video::Picture(kFormat),
                                h264::random_macroblocks(kFormat, {}, seed)};
      Random random(seed);
      for (std::byte& sample : work.picture.bytes()) {
        const std::uint32_t value = random.below(range);
        sample = static_cast<std::byte>(range == 2   ? 255 * value
                                        : range == 8 ? 100 + value
                                                     : value);
      }
      compare(fmt::format("random picture, range {}, seed {}", range, seed), work);
    }
  }
}

/// Returns the numbers of filtered luma edges: vertical and horizontal ones.
std::array<std::size_t, 2> count_edges(const h264::DeblockingWork& work) {
  std::array<std::size_t, 2> edges{};
  for (const h264::Macroblock& macroblock : work.macroblocks) {
    for (std::size_t direction = 0; direction < edges.size(); ++direction) {
      const auto& strengths = macroblock.strengths[direction];
      const auto empty = std::ranges::count(strengths, h264::Strengths{});
      edges[direction] += strengths.size() - static_cast<std::size_t>(empty);
    }
  }
  return edges;
}

void count(const std::string& file) {
  const h264::DeblockingWork work = h264::read_capture(file);
  const std::array<std::size_t, 2> edges = count_edges(work);
  const auto line = [&](std::string_view implementation) {
    return fmt::format("{}\t{}\t{}\t{}\t{}", file, implementation, work.macroblocks.size(),
                       edges[0], edges[1]);
  };
  video::Picture picture(work.picture.format());
  for (const Implementation& implementation : implementations()) {
    if (implementation.name == "FFmpeg-C") continue;
    count_instructions(
        line(implementation.name), [&] { restore(work, picture); },
        [&] { deblock(implementation.kernels, picture, work); });
  }
  std::vector<std::uint32_t> words(work.macroblocks.size() * h264::kPackedWords);
  count_instructions(
      line("packing"), [] {}, [&] { h264::pack_macroblocks(work.macroblocks, words); });
}

void run(const std::vector<std::string>& arguments) {
  const bool counts = !arguments.empty() && arguments.front() == "--count";
  if (counts) {
    std::ranges::for_each(arguments.begin() + 1, arguments.end(), count);
    return;
  }
  compare_random_pictures();
  std::size_t pictures = 0;
  for (const std::string& file : arguments) {
    compare(file, h264::read_capture(file));
    ++pictures;
  }
  fmt::print("{} captured pictures and 24 random ones: all samples are equal\n", pictures);
}

}  // namespace
}  // namespace sidecore::bench

int main(int argc, char** argv) {
  try {
    sidecore::bench::run({argv + 1, argv + argc});
  } catch (const sidecore::Error& error) {
    fmt::print(stderr, "h264_deblocking_captures: {}\n", error.what());
    return error.exit_status();
  }
  return 0;
}
