// Runs every kernel that has a NEON implementation, scalar code first.
// scripts/count-neon-instructions runs this program in an emulator that counts instructions. Prints
// a tab-separated line for each count (count_line()).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "kernels/vp9/loop_filter_content.h"
#include "metrics/feature_family.h"
#include "neon/metrics/feature_kernels.h"
#include "neon/vp9/dsp.h"
#include "tools/count_codec_filters.h"
#include "tools/instruction_count.h"
#include "video/synthetic_clip.h"
#include "vp9/block_kinds.h"

namespace sidecore::bench {
namespace {

std::string block_line(const vp9::BlockKind& kind, int bits, std::size_t blocks,
                       std::string_view implementation) {
  return count_line(kind.kernel, kind.input, bits, "block", blocks, implementation);
}

// Functions for the loop filter: pairs of edges that adjoin along their boundary, the most frequent
// case in pictures.

using vp9::LoopFilterKind;
using vp9::LoopFilterLimits;

constexpr std::size_t kPairs = 32;
constexpr std::size_t kTile = 16;  // side of the square of samples that a pair reads
constexpr std::size_t kStride = kTile * kPairs;
constexpr LoopFilterLimits kLimits{
    .blimit = 100, .limit = 32, .thresh = 2};  // limits of filter level 32 at sharpness 0

/// Returns 8-bit samples for pairs of edges.
std::vector<std::uint8_t> make_edges(LoopFilterKind kind, gates::Content content) {
  const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
  std::vector<std::uint8_t> samples(kStride * kTile);
  Random random(1);
  for (std::size_t tile = 0; tile < kStride; tile += kTile) {
    for (const std::size_t along : {0U, 8U}) {
      const std::size_t at = tile + (vertical ? along * kStride + 8 : 8 * kStride + along);
      fill_edge(content, kind, kLimits, &samples[at], kStride, random);
    }
  }
  return samples;
}

template <class Sample>
void count_edges(const std::string& what, LoopFilterKind kind,
                 const std::vector<std::uint8_t>& samples, const vp9::Dsp<Sample>& dsp) {
  const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
  const std::size_t first = vertical ? 8 : 8 * kStride;
  const std::size_t second = first + (vertical ? 8 * kStride : 8);
  std::vector<Sample> work(samples.size());
  const auto restore = [&] {
    std::ranges::transform(samples, work.begin(), [&](std::uint8_t sample) {
      return static_cast<Sample>(sample << (dsp.bits - 8));
    });
  };
  // Vp9::filter_edges() calls the kernel in the same way.
  const auto& filter = dsp.loop_filter(kind);
  count_instructions(what, restore, [&] {
    for (std::size_t tile = 0; tile < kStride; tile += kTile) {
      filter.two(&work[tile + first], &work[tile + second], kStride, kLimits, kLimits);
    }
  });
}

template <class Sample>
void count_loop_filter(const vp9::Dsp<Sample>& scalar, const vp9::Dsp<Sample>& neon) {
  using gates::Content;
  struct Input {
    Content content;
    const char* name;
  };
  constexpr std::array kInputs = {Input{Content::random, "random"},
                                  Input{Content::smooth, "mask met"}, Input{Content::flat, "flat"}};
  for (const LoopFilterKind kind : vp9::kLoopFilterKinds) {
    for (const Input& input : kInputs) {
      const std::vector<std::uint8_t> samples = make_edges(kind, input.content);
      const auto what = [&](const char* implementation) {
        return count_line(fmt::format("loop_filter {}", to_string(kind)), input.name, scalar.bits,
                          "edge", 2 * kPairs, implementation);
      };
      count_edges(what("scalar"), kind, samples, scalar);
      count_edges(what("NEON"), kind, samples, neon);
    }
  }
}

// Functions for the inverse transforms: blocks whose coefficients fill the first rows and columns.

constexpr int kBlocks = 4;

template <class Sample>
void count_blocks(const std::string& what, const vp9::TransformBlock& block, int side,
                  const vp9::Dsp<Sample>& dsp) {
  const int size = 4 << block.size;
  std::vector<typename vp9::Dsp<Sample>::Coefficient> coefficients(std::size_t{16}
                                                                   << (2 * block.size));
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      const int value = (row * 7 + column * 13) % 5 - 2;
      const int index = row * size + column;
      coefficients[static_cast<std::size_t>(index)] =
          static_cast<std::int16_t>(block.narrow ? value : 900 * value);
    }
  }
  const std::ptrdiff_t stride = kBlocks * size;
  std::vector<Sample> samples(static_cast<std::size_t>(stride * size));
  const auto transform = dsp.inverse_transform(block.size, block.type);
  count_instructions(
      what, [&] { std::ranges::fill(samples, Sample{100}); },
      [&] {
        for (int index = 0; index < kBlocks; ++index) {
          transform(block, coefficients.data(), samples.data() + index * size, stride);
        }
      });
}

template <class Sample>
void count_inverse_transforms(const vp9::Dsp<Sample>& scalar, const vp9::Dsp<Sample>& neon) {
  for (const auto size :
       {vp9::kTransform4x4, vp9::kTransform8x8, vp9::kTransform16x16, vp9::kTransform32x32}) {
    for (const auto type :
         {vp9::kDctDct, vp9::kAdstDct, vp9::kDctAdst, vp9::kAdstAdst, vp9::kWalshHadamard}) {
      if (scalar.inverse_transforms[size][type] == nullptr) continue;
      for (const vp9::Extent& extent : vp9::kExtents) {
        const int n = 4 << size;
        const int side = extent.side == 0 ? n : extent.side;
        if (!vp9::has_separate_code_path(extent, n, type)) continue;
        vp9::TransformBlock block;
        block.size = size;
        block.type = type;
        block.rows = block.columns = static_cast<std::uint8_t>(side);
        block.end = static_cast<std::uint16_t>(side * side);
        block.narrow = !extent.large;
        const auto what = [&](const char* implementation) {
          return block_line(vp9::kind_of_transform(n, type, extent), scalar.bits, kBlocks,
                            implementation);
        };
        count_blocks(what("scalar"), block, side, scalar);
        count_blocks(what("NEON"), block, side, neon);
      }
    }
  }
}

// Functions for inter prediction: a block from a reference that contains all samples under the
// taps.

template <class Sample>
void count_inter_prediction(const vp9::Dsp<Sample>& scalar, const vp9::Dsp<Sample>& neon) {
  constexpr std::ptrdiff_t kReferenceStride = 256;
  constexpr std::ptrdiff_t kBlockStride = 64;
  std::vector<Sample> reference(kReferenceStride * 160);
  Random random(1);
  for (Sample& sample : reference) sample = static_cast<Sample>(random() >> (32 - scalar.bits));
  const Sample* const from = &reference[16 * kReferenceStride + 16];
  for (const vp9::InterKind kind : vp9::kInterKinds) {
    const auto index = static_cast<std::size_t>(kind);
    const bool scaled = kind == vp9::InterKind::scaled;
    for (const bool average : {false, true}) {
      for (const int size : {4, 8, 16, 32, 64}) {
        const vp9::ReferenceArea area{.x = scaled || (index & 1) != 0 ? 5 : 0,
                                      .y = scaled || (index & 2) != 0 ? 11 : 0,
                                      .step_x = scaled ? 20 : 16,
                                      .step_y = scaled ? 20 : 16,
                                      .width = size,
                                      .height = size};
        const auto count = [&](const char* implementation, const vp9::Dsp<Sample>& dsp) {
          std::vector<Sample> block(kBlockStride * kBlockStride);
          const auto predict = dsp.inter_prediction(average, kind);
          count_instructions(
              block_line(vp9::kind_of_inter(kind, average, size), scalar.bits, 1, implementation),
              [] {},
              [&] {
                predict(from, kReferenceStride, area, vp9::kEightTap, block.data(), kBlockStride);
              });
        };
        count("scalar", scalar);
        count("NEON", neon);
      }
    }
  }
}

// Functions for intra prediction: a block of each mode and size, with noise as neighbours.

template <class Sample>
void count_intra_predictions(const vp9::Dsp<Sample>& scalar, const vp9::Dsp<Sample>& neon) {
  constexpr std::size_t kMax = 32;
  Random random(2);
  std::array<Sample, 2 * kMax + 16> above{};
  std::array<Sample, kMax> left{};
  for (auto& sample : above) sample = static_cast<Sample>(random.below(1U << scalar.bits));
  for (auto& sample : left) sample = static_cast<Sample>(random.below(1U << scalar.bits));
  std::array<Sample, kMax * kMax> block{};
  for (std::size_t predictor = 0; predictor < vp9::kIntraPredictors; ++predictor) {
    for (std::size_t size = 0; size < vp9::kTransformSizes; ++size) {
      const auto count = [&](const char* implementation, vp9::IntraPredict<Sample> predict) {
        count_instructions(
            block_line(vp9::kind_of_intra(predictor, 4 << size), scalar.bits, 1, implementation),
            [] {}, [&] { predict(block.data(), kMax, above.data() + 16, left.data()); });
      };
      count("scalar", scalar.intra[predictor][size]);
      count("NEON", neon.intra[predictor][size]);
    }
  }
}

// Functions for the metrics: one picture on one thread, with the kernels that a scorer calls.

constexpr int kWidth = 320;
constexpr int kHeight = 192;

/// Returns every feature without options, and the options that have code of their own.
std::vector<std::string> requests() {
  std::vector<std::string> all;
  for (const metrics::FeatureFamily* const family : metrics::families()) {
    for (const metrics::Feature& feature : family->features) {
      if (feature.name == "psnr") continue;  // runs the kernels of float_psnr
      all.emplace_back(feature.name);
      if (feature.name == "float_ssim") {
        all.emplace_back("float_ssim=enable_lcs=true");
        all.emplace_back("float_ssim=scale=4");  // scale 4 is the default at 1080p
      }
    }
  }
  return all;
}

void count_metrics(int bits) {
  const video::PictureFormat format{kWidth, kHeight, {video::Chroma::c420, bits}};
  const video::SyntheticClip clip(format);
  // Previous picture, for features that read it.
  const video::Picture before = clip.reference(1);
  const video::Picture reference = clip.reference(0);
  const video::Picture distorted = clip.distorted(0);
  for (const std::string& text : requests()) {
    const std::array request{metrics::parse_feature_request(text)};
    const metrics::Feature& feature = *request[0].feature;
    const metrics::FeatureFamily& family = metrics::family_of(feature);
    std::vector<double> scores(request[0].outputs().size());
    const auto count = [&](const char* implementation, metrics::KernelMaker make) {
      const auto kernel = make(format, request, 1);
      CallingThread thread;
      const std::array earlier{&before};
      const std::string_view options =
          std::string_view(text).substr(std::min(text.size(), feature.name.size() + 1));
      count_instructions(
          count_line(feature.name, options, bits, "pixel", std::size_t{kWidth} * kHeight,
                     implementation),
          [] {}, [&] { kernel->score_in_clip(reference, distorted, earlier, thread, scores); });
    };
    count("scalar", family.scalar);
    count("NEON", neon::kernels(family));
  }
}

}  // namespace
}  // namespace sidecore::bench

int main() {
  using namespace sidecore;
  try {
    bench::count_instructions(
        "nothing", [] {}, [] {});
    bench::count_loop_filter(vp9::scalar_dsp().bits_8, neon::vp9_dsp().bits_8);
    bench::count_loop_filter(vp9::scalar_dsp().bits_10, neon::vp9_dsp().bits_10);
    bench::count_inverse_transforms(vp9::scalar_dsp().bits_8, neon::vp9_dsp().bits_8);
    bench::count_inverse_transforms(vp9::scalar_dsp().bits_10, neon::vp9_dsp().bits_10);
    bench::count_inter_prediction(vp9::scalar_dsp().bits_8, neon::vp9_dsp().bits_8);
    bench::count_inter_prediction(vp9::scalar_dsp().bits_10, neon::vp9_dsp().bits_10);
    bench::count_intra_predictions(vp9::scalar_dsp().bits_8, neon::vp9_dsp().bits_8);
    bench::count_intra_predictions(vp9::scalar_dsp().bits_10, neon::vp9_dsp().bits_10);
    for (const int bits : {8, 10}) bench::count_metrics(bits);
    bench::count_codec_filters();
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "count_neon_instructions: {}\n", error.what());
    return error.exit_status();
  }
}
