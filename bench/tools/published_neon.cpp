// Runs NEON functions of FFmpeg that have published times, at the published sizes, for
// scripts/armsim-calibration. Marks each one with count_instructions() and prints a tab-separated
// line for it: name, units.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "tools/instruction_count.h"

extern "C" {
using Filter = void(std::uint8_t* q0, std::ptrdiff_t stride, int blimit, int limit, int thresh);
Filter ff_vp9_loop_filter_h_4_8_neon, ff_vp9_loop_filter_h_8_8_neon, ff_vp9_loop_filter_h_16_8_neon,
    ff_vp9_loop_filter_v_4_8_neon, ff_vp9_loop_filter_v_8_8_neon, ff_vp9_loop_filter_v_16_8_neon;
using Transform = void(std::uint8_t* to, std::ptrdiff_t stride, std::int16_t* block, int end);
Transform ff_vp9_idct_idct_8x8_add_neon, ff_vp9_idct_idct_16x16_add_neon,
    ff_vp9_idct_idct_32x32_add_neon;
void ff_vp9_put_regular8_h_neon(std::uint8_t* to, std::ptrdiff_t to_stride,
                                const std::uint8_t* from, std::ptrdiff_t from_stride, int height,
                                int mx, int my);
using H264Filter = void(std::uint8_t* pixels, std::ptrdiff_t stride, int alpha, int beta,
                        std::int8_t* tc0);
H264Filter ff_h264_v_loop_filter_luma_neon, ff_h264_h_loop_filter_luma_neon;
using H264Transform = void(std::uint8_t* to, std::int16_t* block, int stride);
H264Transform ff_h264_idct_add_neon, ff_h264_idct8_add_neon;
using H264Prediction = void(std::uint8_t* to, const std::uint8_t* from, std::ptrdiff_t stride);
H264Prediction ff_put_h264_qpel8_mc20_neon, ff_put_h264_qpel8_mc02_neon,
    ff_put_h264_qpel8_mc22_neon;
}

namespace sidecore::bench {
namespace {

template <class Sample>
std::vector<Sample> noise(std::size_t count, std::uint32_t mask, std::uint32_t seed) {
  Random random(seed);
  std::vector<Sample> samples(count);
  for (Sample& sample : samples) sample = static_cast<Sample>(random() >> 8 & mask);
  return samples;
}

/// Counts a filter on edges of 8 rows of 8 samples, one after the other.
void count_edges(const char* name, Filter* filter) {
  constexpr std::size_t kEdges = 65536;
  // These samples, 0 to 15, and limits make 8.1 % of the rows pass the filter mask.
  const std::vector<std::uint8_t> samples = noise<std::uint8_t>(kEdges * 64, 15, 8);
  std::vector<std::uint8_t> work(samples.size());
  count_instructions(
      fmt::format("{}\t{}", name, kEdges),
      [&] { std::memcpy(work.data(), samples.data(), samples.size()); },
      [&] {
        for (std::size_t edge = 0; edge < kEdges; ++edge) filter(&work[64 * edge + 4], 8, 22, 6, 2);
      });
}

/// Counts the inverse DCT on all blocks of a picture of 1920x1088.
void count_transforms() {
  constexpr std::size_t kWidth = 1920;
  constexpr std::size_t kHeight = 1088;
  const auto coefficients = noise<std::int16_t>(kWidth * kHeight, 255, 1);
  const auto samples = noise<std::uint8_t>(kWidth * kHeight, 255, 2);
  std::vector<std::int16_t> blocks(coefficients.size());
  std::vector<std::uint8_t> work(samples.size());
  count_instructions(
      fmt::format("inverse DCT 8x8\t{}", kWidth * kHeight / 64),
      [&] {
        std::memcpy(blocks.data(), coefficients.data(), 2 * coefficients.size());
        std::memcpy(work.data(), samples.data(), samples.size());
      },
      [&] {
        std::int16_t* block = blocks.data();
        for (std::size_t y = 0; y < kHeight; y += 8) {
          for (std::size_t x = 0; x < kWidth; x += 8, block += 64) {
            ff_vp9_idct_idct_8x8_add_neon(&work[y * kWidth + x], kWidth, block, 64);
          }
        }
      });
}

void count_prediction() {
  constexpr std::size_t kBlocks = 65536;
  const auto samples = noise<std::uint8_t>(kBlocks * 128 + 64, 255, 3);
  std::vector<std::uint8_t> work(kBlocks * 64);
  Random random(4);
  std::vector<int> phases(kBlocks);
  for (int& phase : phases) phase = static_cast<int>(random.below(16));
  count_instructions(
      fmt::format("prediction 8x8 h\t{}", kBlocks),
      [&] { std::memset(work.data(), 0, work.size()); },
      [&] {
        for (std::size_t block = 0; block < kBlocks; ++block) {
          ff_vp9_put_regular8_h_neon(&work[64 * block], 8, &samples[128 * block + 3], 16, 8,
                                     phases[block], 0);
        }
      });
}

constexpr std::size_t kH264Stride = 1024;
constexpr std::size_t kH264Units = 4096;

/// Counts 4,096 calls on a picture with `kH264Stride` samples per row, of random samples of 0 to
/// `mask`. call(pixels, unit) gets the first sample of a unit of 16x8 samples.
template <class Call>
void count_h264(const char* name, std::uint32_t mask, const Call& call) {
  const auto samples = noise<std::uint8_t>(kH264Stride * 1032, mask, 5);
  std::vector<std::uint8_t> work(samples.size());
  count_instructions(
      fmt::format("{}\t{}", name, kH264Units),
      [&] { std::memcpy(work.data(), samples.data(), samples.size()); },
      [&] {
        for (std::size_t unit = 0; unit < kH264Units; ++unit)
          call(&work[8 * kH264Stride * (1 + unit / 64) + 16 * (unit % 64)], unit);
      });
}

void count_h264_deblocking(const char* name, H264Filter* filter) {
  count_h264(name, 7, [&](std::uint8_t* pixels, std::size_t /*unit*/) {
    std::int8_t tc0[4] = {2, 3, 1, 2};
    filter(pixels, kH264Stride, 40, 10, tc0);
  });
}

void count_h264_transform(const char* name, H264Transform* transform, std::size_t size) {
  auto blocks = noise<std::int16_t>(kH264Units * size * size, 255, 6);
  count_h264(name, 255, [&](std::uint8_t* pixels, std::size_t unit) {
    transform(pixels, &blocks[unit * size * size], kH264Stride);
  });
}

void count_h264_prediction(const char* name, H264Prediction* predict) {
  const auto from = noise<std::uint8_t>(kH264Stride * 1032, 255, 7);
  count_h264(name, 255, [&](std::uint8_t* pixels, std::size_t unit) {
    predict(pixels, &from[8 * kH264Stride * (1 + unit / 64) + 16 * (unit % 64)], kH264Stride);
  });
}

/// Counts a filter in the same way as checkasm: the same edge repeatedly, with all lines filtered.
void count_in_cache(const char* name, Filter* filter) {
  constexpr std::size_t kTimes = 64;
  std::vector<std::uint8_t> work(16 * 16);
  for (std::size_t index = 0; index < work.size(); ++index)
    work[index] = static_cast<std::uint8_t>(100 + (index * 7 % 3));
  count_instructions(
      fmt::format("{}\t{}", name, kTimes), [] {},
      [&] {
        for (std::size_t time = 0; time < kTimes; ++time) filter(&work[8 * 16 + 8], 16, 100, 32, 2);
      });
}

void count_in_cache(const char* name, Transform* transform, std::size_t size, int end) {
  constexpr std::size_t kTimes = 8;
  std::vector<std::int16_t> block(size * size);
  std::vector<std::uint8_t> work(size * size);
  count_instructions(
      fmt::format("{}\t{}", name, kTimes), [] {},
      [&] {
        for (std::size_t time = 0; time < kTimes; ++time) {
          transform(work.data(), static_cast<std::ptrdiff_t>(size), block.data(), end);
        }
      });
}

void run() {
  count_edges("loop filter 4", ff_vp9_loop_filter_h_4_8_neon);
  count_edges("loop filter 8", ff_vp9_loop_filter_h_8_8_neon);
  count_transforms();
  count_prediction();
  count_h264_deblocking("H.264 deblocking v", ff_h264_v_loop_filter_luma_neon);
  count_h264_deblocking("H.264 deblocking h", ff_h264_h_loop_filter_luma_neon);
  count_h264_transform("H.264 inverse transform 4x4", ff_h264_idct_add_neon, 4);
  count_h264_transform("H.264 inverse transform 8x8", ff_h264_idct8_add_neon, 8);
  count_h264_prediction("H.264 prediction 8x8 mc20", ff_put_h264_qpel8_mc20_neon);
  count_h264_prediction("H.264 prediction 8x8 mc02", ff_put_h264_qpel8_mc02_neon);
  count_h264_prediction("H.264 prediction 8x8 mc22", ff_put_h264_qpel8_mc22_neon);
  count_in_cache("v4", ff_vp9_loop_filter_v_4_8_neon);
  count_in_cache("v8", ff_vp9_loop_filter_v_8_8_neon);
  count_in_cache("v16", ff_vp9_loop_filter_v_16_8_neon);
  count_in_cache("h4", ff_vp9_loop_filter_h_4_8_neon);
  count_in_cache("h8", ff_vp9_loop_filter_h_8_8_neon);
  count_in_cache("h16", ff_vp9_loop_filter_h_16_8_neon);
  count_in_cache("16x16", ff_vp9_idct_idct_16x16_add_neon, 16, 256);
  count_in_cache("16x16 8", ff_vp9_idct_idct_16x16_add_neon, 16, 34);
  count_in_cache("32x32", ff_vp9_idct_idct_32x32_add_neon, 32, 1024);
  count_in_cache("32x32 16", ff_vp9_idct_idct_32x32_add_neon, 32, 135);
}

}  // namespace
}  // namespace sidecore::bench

int main() {
  sidecore::bench::run();
  return 0;
}
