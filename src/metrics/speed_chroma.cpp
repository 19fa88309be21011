#include "metrics/speed_chroma.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/error.h"
#include "metrics/families.h"
#include "metrics/float_filter.h"
#include "metrics/float_plane.h"

namespace sidecore::metrics {
namespace {

enum PrescaleMethod : std::uint8_t { kPrescaleNearest, kPrescaleBilinear };
constexpr std::array<std::string_view, 2> kPrescaleMethods{"nearest", "bilinear"};

// Names, ranges and abbreviations are libvmaf's, but for the kernel's scale, which no model sets.
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

constexpr int speed_mirror(int index, int size) {
  if (index < 0) return -index;
  return index < size ? index : 2 * (size - 1) - index;
}

struct SpeedSize {
  int width = 0;
  int height = 0;
};

/// Of a request and a format.
struct SpeedSetup {
  SpeedSize plane;    ///< chroma, without what is half of a luma sample
  SpeedSize scaled;   ///< what is filtered
  SpeedSize reduced;  ///< what is left
  SpeedSize blocks;
  SpeedSize positions;  ///< of a block, for the covariance
  int bits = 8;
  float sigma = 0;  ///< of the noise in the eye
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

SpeedSetup speed_setup(const video::PictureFormat& format, const FeatureOptions& options) {
  const video::Chroma chroma = format.pixel.chroma;
  SpeedSetup setup;
  setup.plane = {chroma == video::Chroma::c444 ? format.width : format.width / 2,
                 chroma == video::Chroma::c420 ? format.height / 2 : format.height};
  const double scale = options.real("speed_prescale");
  setup.scaled = setup.plane;
  if (std::abs(scale - 1) >= 1e-3) {
    setup.scaled = {static_cast<int>(std::floor(setup.plane.width * scale + 0.5)),
                    static_cast<int>(std::floor(setup.plane.height * scale + 0.5))};
  }
  setup.reduced = {setup.scaled.width / kSpeedReduction, setup.scaled.height / kSpeedReduction};
  setup.blocks = {setup.reduced.width / kSpeedBlock, setup.reduced.height / kSpeedBlock};
  setup.positions = {kSpeedBlock * (setup.blocks.width - 1) + 1,
                     kSpeedBlock * (setup.blocks.height - 1) + 1};
  setup.bits = format.pixel.bits;
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
  const SpeedSetup setup = speed_setup(format, options);
  if (options.integer("speed_prescale_method") != kPrescaleBilinear &&
      std::abs(options.real("speed_prescale") - 1) >= 1e-3) {
    throw usage_error("speed_chroma with a speed_prescale needs speed_prescale_method=bilinear");
  }
  if (setup.blocks.width == 0 || setup.blocks.height == 0) {
    constexpr int kLeast = kSpeedBlock * kSpeedReduction;
    throw usage_error(
        "speed_chroma needs chroma planes of at least {0}x{0} samples; pictures of "
        "{1}x{2} have {3}x{4}",
        kLeast, format.width, format.height, setup.scaled.width, setup.scaled.height);
  }
}

template <std::size_t taps>
std::array<float, taps> gaussian(float sigma) {
  std::array<float, taps> weights{};
  fill_gaussian(sigma, weights);
  return weights;
}

/// Where the samples of a scaled row or column lie between two others.
struct Between {
  int first = 0;
  int second = 0;
  float share = 0;  ///< of the second
};

std::vector<Between> scaled_samples(int from, int to) {
  std::vector<Between> samples(static_cast<std::size_t>(to));
  const float ratio = static_cast<float>(from) / static_cast<float>(to);
  for (int i = 0; i < to; ++i) {
    const auto at = static_cast<float>((i + 0.5) * double{ratio} - 0.5);
    const int first = speed_mirror(static_cast<int>(std::floor(at)), from);
    const int second = speed_mirror(static_cast<int>(std::ceil(at)), from);
    samples[static_cast<std::size_t>(i)] = {first, second, at - static_cast<float>(first)};
  }
  return samples;
}

/// What a plane's blocks say.
struct SpeedPlane {
  std::vector<float> variances;
  std::vector<float> entropies;  ///< in bits
  bool singular = false;
};

double speed_log2_2_pi_e() {
  return std::log2(2 * std::numbers::pi * std::numbers::e);
}

/// One request's memory and arithmetic.
class SpeedScorer {
 public:
  SpeedScorer(const SpeedSetup& setup, std::size_t threads, const SpeedChromaSums& sums)
      : setup_(setup),
        sums_(sums),
        columns_(scaled_samples(setup.plane.width, setup.scaled.width)),
        lines_(scaled_samples(setup.plane.height, setup.scaled.height)) {
    for (std::size_t i = 0; i < kPlanes; ++i) {
      reduced_[i] = FloatPlane(setup.reduced.width, setup.reduced.height);
      planes_[i].variances.resize(setup.block_count());
      planes_[i].entropies.resize(setup.block_count());
    }
    for (std::size_t i = 0; i < threads; ++i) scratch_.emplace_back(setup);
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) {
    const auto rows = static_cast<std::size_t>(setup_.reduced.height);
    team.run(kPlanes * rows, [&](std::size_t piece, std::size_t thread) {
      const std::size_t plane = piece / rows;
      reduce_row(plane % 2 == 0 ? reference : distorted, static_cast<int>(1 + plane / 2),
                 static_cast<int>(piece % rows), scratch_[thread], reduced_[plane]);
    });
    team.run(kPlanes, [&](std::size_t plane, std::size_t thread) {
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

 private:
  /// U of the reference and the distorted picture, then V.
  static constexpr std::size_t kPlanes = 4;

  struct Scratch {
    explicit Scratch(const SpeedSetup& setup)
        : source(setup.plane.width, 2),
          rows(setup.scaled.width, kSpeedTaps),
          filtered(setup.scaled.width, 1),
          blurred(setup.reduced.width, setup.reduced.height),
          detail(setup.reduced.width, setup.reduced.height),
          deviations(setup.position_count()),
          blocks(kSpeedElements * setup.block_count()),
          solved(blocks.size()),
          spare(blocks.size()) {}

    FloatPlane source;
    FloatPlane rows;
    FloatPlane filtered;
    FloatPlane blurred;
    FloatPlane detail;
    std::vector<SpeedDeviations> deviations;
    std::vector<float> blocks;  ///< element e of block b at e * blocks + b
    std::vector<float> solved;
    std::vector<float> spare;
  };

  [[nodiscard]] bool is_scaled() const {
    return setup_.scaled.width != setup_.plane.width || setup_.scaled.height != setup_.plane.height;
  }

  void read_row(const video::Picture& picture, int plane, int y, float* to) const {
    const auto convert = [&](const auto* row, float unit) {
      for (int x = 0; x < setup_.plane.width; ++x) to[x] = static_cast<float>(row[x]) * unit - 128;
    };
    if (setup_.bits == 8) {
      convert(picture.plane<std::uint8_t>(plane).row(y), 1);
    } else {
      convert(picture.plane<std::uint16_t>(plane).row(y),
              1.0F / static_cast<float>(1 << (setup_.bits - 8)));
    }
  }

  /// Row y of the scaled plane.
  void scaled_row(const video::Picture& picture, int plane, int y, FloatPlane& source,
                  float* to) const {
    if (!is_scaled()) {
      read_row(picture, plane, y, to);
      return;
    }
    const Between& line = lines_[static_cast<std::size_t>(y)];
    read_row(picture, plane, line.first, source.row(0));
    read_row(picture, plane, line.second, source.row(1));
    const float* const above = source.row(0);
    const float* const below = source.row(1);
    const float dy = line.share;
    for (std::size_t x = 0; x < columns_.size(); ++x) {
      const auto [first, second, dx] = columns_[x];
      to[x] = (1 - dy) * (1 - dx) * above[first] + (1 - dy) * dx * above[second] +
              dy * (1 - dx) * below[first] + dy * dx * below[second];
    }
  }

  void reduce_row(const video::Picture& picture, int plane, int y, Scratch& scratch,
                  FloatPlane& to) const {
    constexpr int kHalf = kSpeedTaps / 2;
    std::array<const float*, kSpeedTaps> rows{};
    for (int t = 0; t < static_cast<int>(kSpeedTaps); ++t) {
      const int line = speed_mirror(kSpeedReduction * y + t - kHalf, setup_.scaled.height);
      scaled_row(picture, plane, line, scratch.source, scratch.rows.row(t));
      rows[static_cast<std::size_t>(t)] = scratch.rows.row(t);
    }
    const float* const filtered = scratch.filtered.row(0);
    sums_.filter(rows, taps_, setup_.scaled.width, scratch.filtered.row(0));
    for (int x = 0; x < setup_.reduced.width; ++x) {
      float sum = 0;
      for (int t = 0; t < static_cast<int>(kSpeedTaps); ++t) {
        sum += taps_[static_cast<std::size_t>(t)] *
               filtered[speed_mirror(kSpeedReduction * x + t - kHalf, setup_.scaled.width)];
      }
      to.row(y)[x] = sum;
    }
  }

  /// What is left of a plane without its local means.
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

  [[nodiscard]] float mean_of(const FloatPlane& detail, int row, int column) const {
    float sum = 0;
    for (int y = 0; y < setup_.positions.height; ++y) {
      for (int x = 0; x < setup_.positions.width; ++x) sum += detail.row(row + y)[column + x];
    }
    return sum / static_cast<float>(setup_.position_count());
  }

  [[nodiscard]] SpeedMatrix covariance(Scratch& scratch) const {
    for (std::size_t k = 0; k < kSpeedElements; ++k) {
      const auto row = static_cast<int>(k) / kSpeedBlock;
      const auto column = static_cast<int>(k) % kSpeedBlock;
      const double mean{mean_of(scratch.detail, row, column)};
      auto to = scratch.deviations.begin();
      for (int y = 0; y < setup_.positions.height; ++y) {
        for (int x = 0; x < setup_.positions.width; ++x) {
          (*to++)[k] = double{scratch.detail.row(row + y)[column + x]} - mean;
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
    if (!to.singular) to.singular = !speed_solve(matrix, count, scratch.solved, scratch.spare);
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

  /// What the variances weigh a block's entropies with: (reference, distorted).
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

  SpeedSetup setup_;
  const SpeedChromaSums& sums_;
  std::vector<Between> columns_;
  std::vector<Between> lines_;
  std::array<float, kSpeedTaps> taps_ = gaussian<kSpeedTaps>(3.6F);
  std::array<float, 3> local_taps_ = gaussian<3>(0.6F);
  std::array<FloatPlane, kPlanes> reduced_;
  std::array<SpeedPlane, kPlanes> planes_;
  std::vector<Scratch> scratch_;  // one a thread
};

class SpeedChromaKernel final : public PairKernel {
 public:
  SpeedChromaKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
                    std::size_t threads, const SpeedChromaSums& sums) {
    for (const FeatureRequest& request : requests) {
      scorers_.emplace_back(speed_setup(format, request.options), threads, sums);
    }
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    for (std::size_t i = 0; i < scorers_.size(); ++i) {
      scorers_[i].score(reference, distorted, team, scores.subspan(3 * i, 3));
    }
  }

 private:
  std::vector<SpeedScorer> scorers_;
};

void filter_speed_rows(const std::array<const float*, kSpeedTaps>& rows,
                       std::span<const float, kSpeedTaps> taps, int width, float* to) {
  for (int x = 0; x < width; ++x) {
    float sum = 0;
    for (std::size_t t = 0; t < kSpeedTaps; ++t) sum += taps[t] * rows[t][x];
    to[x] = sum;
  }
}

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
  static constexpr SpeedChromaSums kSums{filter_speed_rows, multiply_speed_deviations};
  return kSums;
}

std::unique_ptr<PairKernel> make_speed_chroma_kernel(const video::PictureFormat& format,
                                                     std::span<const FeatureRequest> requests,
                                                     std::size_t threads,
                                                     const SpeedChromaSums& sums) {
  return std::make_unique<SpeedChromaKernel>(format, requests, threads, sums);
}

const FeatureFamily& speed_chroma_family() {
  static constexpr std::array kFeatures{Feature{"speed_chroma", "equal to libvmaf's scalar build",
                                                kSpeedChromaOptions, speed_chroma_outputs,
                                                check_speed_chroma}};
  static constexpr FeatureFamily kFamily{"speed_chroma", kFeatures, make_scalar_speed_chroma};
  return kFamily;
}

}  // namespace sidecore::metrics
