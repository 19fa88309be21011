#include "metrics/speed_chroma.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "base/error.h"
#include "base/rounding.h"
#include "metrics/families.h"
#include "metrics/float_filter.h"
#include "metrics/float_plane.h"

namespace sidecore::metrics {
namespace {

enum PrescaleMethod : std::uint8_t { kPrescaleNearest, kPrescaleBilinear };
constexpr std::array<std::string_view, 2> kPrescaleMethods{"nearest", "bilinear"};

// Options of speed_chroma. Names, ranges and abbreviations equal libvmaf's, except for the scale of
// the kernel, which no model sets.
constexpr std::array kSpeedChromaOptions{
    OptionSpec{"speed_kernelscale", OptionType::real, 1, 1, 1, "ks"},
    OptionSpec{"speed_prescale", OptionType::real, 1, 0.1, 4, "ps"},
    OptionSpec{"speed_prescale_method", OptionType::choice, kPrescaleNearest, 0, 1, "psm",
               kPrescaleMethods},
    OptionSpec{"speed_sigma_nn", OptionType::real, 0.29, 0.1, 2, "snn"},
    OptionSpec{"speed_nn_floor", OptionType::real, 0, 0, 1, "nnf"},
    OptionSpec{"speed_max_val", OptionType::real, 1000, 0, 1000, "mxv"},
    OptionSpec{"speed_weight_var_mode", OptionType::integer, 0, 0, 6, "wvm"}};

std::vector<std::string> speed_chroma_outputs(const FeatureOptions& /*any*/) {
  return {"speed_chroma_u", "speed_chroma_v", "speed_chroma_uv"};
}

/// Constants of a request for one format.
struct SpeedSetup {
  SpeedSize reduced;
  SpeedSize blocks;
  SpeedSize positions;  ///< number of positions of a block, over which covariances are summed
  float sigma = 0;      ///< variance of the noise by which the model describes the eye
  float floor = 0;
  int mode = 0;
  double most = 0;

  [[nodiscard]] std::size_t block_count() const {
    return static_cast<std::size_t>(blocks.width) * static_cast<std::size_t>(blocks.height);
  }
  [[nodiscard]] std::size_t position_count() const {
    return static_cast<std::size_t>(positions.width) * static_cast<std::size_t>(positions.height);
  }
};

/// Returns the size of a chroma plane, rounded down if the luma size is odd.
SpeedSize speed_plane_size(const video::PictureFormat& format) {
  const video::Chroma chroma = format.pixel.chroma;
  return {chroma == video::Chroma::c444 ? format.width : format.width / 2,
          chroma == video::Chroma::c420 ? format.height / 2 : format.height};
}

SpeedSetup speed_setup(SpeedSize reduced, const FeatureOptions& options) {
  SpeedSetup setup;
  setup.reduced = reduced;
  setup.blocks = {reduced.width / kSpeedBlock, reduced.height / kSpeedBlock};
  setup.positions = {kSpeedBlock * (setup.blocks.width - 1) + 1,
                     kSpeedBlock * (setup.blocks.height - 1) + 1};
  setup.sigma = static_cast<float>(options.real("speed_sigma_nn"));
  setup.floor = static_cast<float>(options.real("speed_nn_floor"));
  setup.mode = options.integer("speed_weight_var_mode");
  setup.most = options.real("speed_max_val");
  return setup;
}

void check_speed_chroma(const video::PictureFormat& format, const FeatureOptions& options) {
  check_float_depth("speed_chroma", format.pixel.bits);
  if (format.pixel.chroma == video::Chroma::c400) {
    throw usage_error("speed_chroma needs chroma planes; the pictures are luma only");
  }
  const SpeedSize plane = speed_plane_size(format);
  const SpeedSize scaled = speed_scaled_size(plane, options.real("speed_prescale"));
  if (options.integer("speed_prescale_method") != kPrescaleBilinear &&
      std::abs(options.real("speed_prescale") - 1) >= 1e-3) {
    throw usage_error("speed_chroma with a speed_prescale needs speed_prescale_method=bilinear");
  }
  constexpr int kMin = kSpeedBlock * kSpeedReduction;
  if (scaled.width < kMin || scaled.height < kMin) {
    throw usage_error(
        "speed_chroma needs chroma planes of at least {0}x{0} samples; pictures of "
        "{1}x{2} have {3}x{4}",
        kMin, format.width, format.height, scaled.width, scaled.height);
  }
}

std::array<float, 3> speed_local_taps() {
  std::array<float, 3> taps{};
  fill_gaussian(0.6F, taps);
  return taps;
}

/// Values of a plane's blocks.
struct SpeedPlane {
  std::vector<float> variances;
  std::vector<float> entropies;  ///< entropy of each block, in bits
  bool singular = false;
};

double speed_log2_2_pi_e() {
  return std::log2(2 * std::numbers::pi * std::numbers::e);
}

/// Working memory and arithmetic of one request.
class SpeedScorer {
 public:
  SpeedScorer(const video::PictureFormat& format, const FeatureOptions& options,
              std::size_t threads, const SpeedChromaSums& sums)
      : reduction_(std::make_unique<SpeedReduction>(speed_reduction(format, options))),
        setup_(speed_setup(reduction_->reduced(), options)),
        sums_(sums) {
    for (std::size_t i = 0; i < kSpeedPlanes; ++i) {
      reduced_[i] = FloatPlane(setup_.reduced.width, setup_.reduced.height);
      planes_[i].variances.resize(setup_.block_count());
      planes_[i].entropies.resize(setup_.block_count());
    }
    for (std::size_t i = 0; i < threads; ++i) scratch_.emplace_back(*reduction_, setup_, sums);
  }

  [[nodiscard]] SpeedSize reduced() const { return setup_.reduced; }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) {
    const auto rows = static_cast<std::size_t>(setup_.reduced.height);
    team.run(kSpeedPlanes * rows, [&](std::size_t piece, std::size_t thread) {
      const std::size_t plane = piece / rows;
      reduce_row(plane % 2 == 0 ? reference : distorted, static_cast<int>(1 + plane / 2),
                 static_cast<int>(piece % rows), scratch_[thread].reducer, reduced_[plane]);
    });
    score_reduced(team, scores);
  }

  /// Scores reduced planes in the layout that PairKernel::finish() reads.
  void score(std::span<const std::byte> planes, ThreadTeam& team, std::span<double> scores) {
    const std::size_t row_bytes = static_cast<std::size_t>(setup_.reduced.width) * sizeof(float);
    for (FloatPlane& plane : reduced_) {
      for (int y = 0; y < setup_.reduced.height; ++y) {
        std::memcpy(plane.row(y), planes.data(), row_bytes);
        planes = planes.subspan(row_bytes);
      }
    }
    score_reduced(team, scores);
  }

 private:
  void score_reduced(ThreadTeam& team, std::span<double> scores) {
    team.run(kSpeedPlanes, [&](std::size_t plane, std::size_t thread) {
      describe(reduced_[plane], scratch_[thread], planes_[plane]);
    });
    const float u = difference(planes_[0], planes_[1]);
    const float v = difference(planes_[2], planes_[3]);
    const bool no_u = planes_[0].singular || planes_[1].singular;
    const bool no_v = planes_[2].singular || planes_[3].singular;
    float both = static_cast<float>(double{u + v} / 2.0);
    if (no_u != no_v) both = no_u ? v : u;
    scores[0] = std::min(double{u}, setup_.most);
    scores[1] = std::min(double{v}, setup_.most);
    scores[2] = std::min(double{both}, setup_.most);
  }

  struct Scratch {
    Scratch(const SpeedReduction& reduction, const SpeedSetup& setup, const SpeedChromaSums& sums)
        : reducer(reduction, sums.filter),
          blurred(setup.reduced.width, setup.reduced.height),
          detail(setup.reduced.width, setup.reduced.height),
          deviations(setup.position_count()),
          blocks(kSpeedElements * setup.block_count()),
          solved(blocks.size()),
          spare(blocks.size()) {}

    SpeedReducer reducer;
    FloatPlane blurred;
    FloatPlane detail;
    std::vector<SpeedDeviations> deviations;
    /// Elements of all blocks; element e of block b is at e * blocks + b.
    std::vector<float> blocks;
    std::vector<float> solved;
    std::vector<float> spare;
  };

  static void reduce_row(const video::Picture& picture, int plane, int y, SpeedReducer& reducer,
                         FloatPlane& to) {
    if (picture.format().pixel.bits == 8) {
      reducer.reduce_row(picture.plane<std::uint8_t>(plane), y, to.row(y));
    } else {
      reducer.reduce_row(picture.plane<std::uint16_t>(plane), y, to.row(y));
    }
  }

  /// Subtracts the local means from a plane.
  void find_detail(const FloatPlane& plane, FloatPlane& blurred, FloatPlane& detail) const {
    const int width = setup_.reduced.width;
    const int height = setup_.reduced.height;
    const auto sum = [&](auto sample) {
      float total = 0;
      for (int t = 0; t < 3; ++t) total += local_taps_[static_cast<std::size_t>(t)] * sample(t - 1);
      return total;
    };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        blurred.row(y)[x] = sum([&](int t) { return plane.row(speed_mirror(y + t, height))[x]; });
      }
      const float* const row = blurred.row(y);
      for (int x = 0; x < width; ++x) {
        detail.row(y)[x] =
            plane.row(y)[x] - sum([&](int t) { return row[speed_mirror(x + t, width)]; });
      }
    }
  }

  /// Returns the 25 elements of a block at a position, row by row.
  static SpeedVector elements_at(const FloatPlane& detail, int x, int y) {
    SpeedVector elements;
    auto to = elements.begin();
    for (int row = 0; row < kSpeedBlock; ++row) {
      to = std::copy_n(detail.row(y + row) + x, kSpeedBlock, to);
    }
    return elements;
  }

  [[nodiscard]] SpeedMatrix covariance(Scratch& scratch) const {
    const auto [width, height] = setup_.positions;
    SpeedVector sums{};
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const SpeedVector elements = elements_at(scratch.detail, x, y);
        for (std::size_t k = 0; k < kSpeedElements; ++k) sums[k] += elements[k];
      }
    }
    for (float& sum : sums) sum /= static_cast<float>(setup_.position_count());
    auto to = scratch.deviations.begin();
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x, ++to) {
        const SpeedVector elements = elements_at(scratch.detail, x, y);
        for (std::size_t k = 0; k < kSpeedElements; ++k) {
          (*to)[k] = double{elements[k]} - double{sums[k]};
        }
      }
    }
    SpeedProducts products{};
    sums_.multiply(scratch.deviations, products);
    SpeedMatrix matrix{};
    for (std::size_t k = 0; k < kSpeedElements; ++k) {
      for (std::size_t l = k; l < kSpeedElements; ++l) {
        matrix[k][l] = matrix[l][k] =
            static_cast<float>(products[k][l] / static_cast<double>(setup_.position_count()));
      }
    }
    return matrix;
  }

  void copy_blocks(const FloatPlane& detail, std::span<float> blocks) const {
    auto to = blocks.begin();
    for (int k = 0; k < static_cast<int>(kSpeedElements); ++k) {
      for (int y = 0; y < setup_.blocks.height; ++y) {
        for (int x = 0; x < setup_.blocks.width; ++x) {
          *to++ = detail.row(kSpeedBlock * y + k / kSpeedBlock)[kSpeedBlock * x + k % kSpeedBlock];
        }
      }
    }
  }

  void describe(const FloatPlane& plane, Scratch& scratch, SpeedPlane& to) const {
    find_detail(plane, scratch.blurred, scratch.detail);
    const SpeedMatrix matrix = covariance(scratch);
    const SpeedVector eigenvalues = speed_eigenvalues(matrix);
    copy_blocks(scratch.detail, scratch.blocks);
    scratch.solved = scratch.blocks;
    const std::size_t count = setup_.block_count();
    to.singular =
        std::ranges::any_of(eigenvalues, [](float value) { return double{value} < kSpeedEpsilon; });
    if (!to.singular)
      to.singular = !speed_solve(matrix, count, scratch.solved, scratch.spare, sums_.reflect);
    if (to.singular) std::ranges::fill(scratch.solved, 0.0F);
    std::ranges::fill(to.variances, 0.0F);
    for (std::size_t k = 0; k < kSpeedElements; ++k) {
      for (std::size_t b = 0; b < count; ++b) {
        const std::size_t at = k * count + b;
        to.variances[b] += scratch.solved[at] * scratch.blocks[at] / float{kSpeedElements};
      }
    }
    std::ranges::fill(to.entropies, 0.0F);
    for (const float value : eigenvalues) {
      const float eigenvalue = value < 0 ? 0 : value;
      for (std::size_t b = 0; b < count; ++b) {
        const float power = eigenvalue * to.variances[b] + setup_.sigma;
        to.entropies[b] = static_cast<float>(double{to.entropies[b]} +
                                             (std::log2(double{power}) + speed_log2_2_pi_e()));
      }
    }
  }

  /// Returns the weights of a block's entropies in the reference and in the distorted picture, from
  /// its variances.
  [[nodiscard]] std::pair<double, double> weights(float reference, float distorted) const {
    const auto own = [](float variance) { return std::log2(double{1 + variance}); };
    const auto mixed = [&](double a, double b) {
      return std::log2(1 + (a * double{reference} + b * double{distorted}));
    };
    const double mean = std::log2(1 + double{reference + distorted} / 2.0);
    switch (setup_.mode) {
      case 0:
        return {own(reference), own(distorted)};
      case 1:
        return {own(reference), own(reference)};
      case 2:
        return {own(distorted), own(distorted)};
      case 3:
        return {mean, mean};
      case 4:
        return {own(reference), mean};
      case 5:
        return {own(reference), mixed(0.75, 0.25)};
      default:
        return {own(reference), mixed(0.25, 0.75)};
    }
  }

  [[nodiscard]] float difference(const SpeedPlane& reference, const SpeedPlane& distorted) const {
    if (reference.singular != distorted.singular) return 0;
    const auto base = static_cast<float>(
        static_cast<double>(kSpeedElements) *
        (std::log2(double{(1 + setup_.floor) * setup_.sigma}) + speed_log2_2_pi_e()));
    float sum = 0;
    for (std::size_t b = 0; b < setup_.block_count(); ++b) {
      const float first = reference.entropies[b];
      const float second = distorted.entropies[b];
      if (first < base && second < base) continue;
      const auto [w1, w2] = weights(reference.variances[b], distorted.variances[b]);
      sum += std::abs(static_cast<float>(double{first} * w1) -
                      static_cast<float>(double{second} * w2));
    }
    return sum / static_cast<float>(setup_.block_count());
  }

  // The object is held by pointer, so that the scratch memory still finds it after a move.
  std::unique_ptr<const SpeedReduction> reduction_;
  SpeedSetup setup_;
  const SpeedChromaSums& sums_;
  std::array<float, 3> local_taps_ = speed_local_taps();
  std::array<FloatPlane, kSpeedPlanes> reduced_;
  std::array<SpeedPlane, kSpeedPlanes> planes_;
  std::vector<Scratch> scratch_;  // working memory, one per thread
};

class SpeedChromaKernel final : public PairKernel {
 public:
  SpeedChromaKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
                    std::size_t threads, const SpeedChromaSums& sums) {
    for (const FeatureRequest& request : requests) {
      scorers_.emplace_back(format, request.options, threads, sums);
    }
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    for (std::size_t i = 0; i < scorers_.size(); ++i) {
      scorers_[i].score(reference, distorted, team, scores.subspan(3 * i, 3));
    }
  }

  void finish(std::span<const std::byte> values, ThreadTeam& team,
              std::span<double> scores) override {
    for (std::size_t i = 0; i < scorers_.size(); ++i) {
      scorers_[i].score(values, team, scores.subspan(3 * i, 3));
      values = values.subspan(speed_reduced_bytes(scorers_[i].reduced()).request);
    }
  }

 private:
  std::vector<SpeedScorer> scorers_;
};

void multiply_speed_deviations(std::span<const SpeedDeviations> deviations,
                               SpeedProducts& products) {
  for (const SpeedDeviations& at : deviations) {
    for (std::size_t k = 0; k < kSpeedElements; ++k) {
      for (std::size_t l = k; l < kSpeedElements; ++l) products[k][l] += at[k] * at[l];
    }
  }
}

std::unique_ptr<PairKernel> make_scalar_speed_chroma(const video::PictureFormat& format,
                                                     std::span<const FeatureRequest> requests,
                                                     std::size_t threads) {
  return make_speed_chroma_kernel(format, requests, threads, speed_chroma_sums());
}

}  // namespace

const SpeedChromaSums& speed_chroma_sums() {
  static constexpr SpeedChromaSums kSums{filter_speed_rows, multiply_speed_deviations,
                                         speed_reflect};
  return kSums;
}

SpeedReduction speed_reduction(const video::PictureFormat& format, const FeatureOptions& options) {
  return {speed_plane_size(format), format.pixel.bits, options.real("speed_prescale")};
}

SpeedReducedBytes speed_reduced_bytes(SpeedSize reduced) {
  const std::size_t plane = static_cast<std::size_t>(reduced.width) *
                            static_cast<std::size_t>(reduced.height) * sizeof(float);
  return {plane, round_up(kSpeedPlanes * plane, video::PictureLayout::kPlaneAlignment)};
}

std::unique_ptr<PairKernel> make_speed_chroma_kernel(const video::PictureFormat& format,
                                                     std::span<const FeatureRequest> requests,
                                                     std::size_t threads,
                                                     const SpeedChromaSums& sums) {
  return std::make_unique<SpeedChromaKernel>(format, requests, threads, sums);
}

const FeatureFamily& speed_chroma_family() {
  static constexpr std::array kFeatures{Feature{.name = "speed_chroma",
                                                .exactness = "equal to libvmaf's scalar build",
                                                .options = kSpeedChromaOptions,
                                                .outputs = speed_chroma_outputs,
                                                .check = check_speed_chroma,
                                                .reads_chroma = true}};
  static constexpr FeatureFamily kFamily{"speed_chroma", kFeatures, make_scalar_speed_chroma};
  return kFamily;
}

}  // namespace sidecore::metrics
