#include "metrics/cambi.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

constexpr std::array<std::string_view, 1> kTransferFunctions{"bt1886"};

// Options of cambi. Names, ranges and abbreviations equal libvmaf's.
constexpr std::array kCambiOptions{
    OptionSpec{"cambi_max_val", OptionType::real, 1000, 0, 1000, "cmxv"},
    OptionSpec{"enc_width", OptionType::integer, 0, 180, 7680, "encw"},
    OptionSpec{"enc_height", OptionType::integer, 0, 150, 7680, "ench"},
    OptionSpec{"enc_bitdepth", OptionType::integer, 0, 6, 16, "encbd"},
    OptionSpec{"window_size", OptionType::integer, 65, 15, 127, "ws"},
    OptionSpec{"topk", OptionType::real, 0.6, 0.0001, 1, "topk"},
    OptionSpec{"cambi_topk", OptionType::real, 0.6, 0.0001, 1, "ctpk"},
    OptionSpec{"tvi_threshold", OptionType::real, 0.019, 0.0001, 1, "tvit"},
    OptionSpec{"cambi_vis_lum_threshold", OptionType::real, 0, 0, 300, "vlt"},
    OptionSpec{"max_log_contrast", OptionType::integer, 2, 0, 5, "mlc"},
    OptionSpec{"cambi_eotf", OptionType::choice, 0, 0, 0, "ceot", kTransferFunctions},
    OptionSpec{"cambi_high_res_speedup", OptionType::integer, 0, 0, 2160, "hrs"}};

std::vector<std::string> cambi_outputs(const FeatureOptions& /*any*/) {
  return {"cambi"};
}

// Smallest and largest luma value of 10-bit samples in limited range.
constexpr int kBlack = 64;
constexpr int kWhite = 940;
constexpr int kLargestSample = 1023;

/// Returns the luminance on a display of 300 cd/m2 with black at 0.01 cd/m2, by ITU-R BT.1886.
double luminance(int sample) {
  constexpr double kGamma = 2.4;
  const double white = std::pow(300.0, 1.0 / kGamma);
  const double black = std::pow(0.01, 1.0 / kGamma);
  const double gain = std::pow(white - black, kGamma);
  const double lift = black / (white - black);
  const double signal =
      static_cast<double>(std::clamp(sample, kBlack, kWhite) - kBlack) / (kWhite - kBlack);
  return gain * std::pow(std::max(signal + lift, 0.0), kGamma);
}

/// Returns true if a step up from the sample is visible by Weber's law.
bool step_is_visible(int sample, int step, double threshold) {
  const double before = luminance(sample);
  return luminance(sample + step) - before > threshold * before;
}

/// Returns the largest sample at which the step is visible; it is invisible in brighter samples.
int last_visible(int step, double threshold) {
  if (!step_is_visible(kBlack, step, threshold)) return 0;
  int sample = kBlack;
  while (sample < kWhite - step && step_is_visible(sample + 1, step, threshold)) ++sample;
  return sample < kWhite - step ? sample : kLargestSample;
}

/// Returns the smallest sample with at least the threshold's luminance; 0 if all have it.
int first_bright(double threshold) {
  int sample = kBlack;
  while (sample < kWhite && luminance(sample) < threshold) ++sample;
  return sample == kBlack ? 0 : sample;
}

int log2_ceiling(int value) {
  int log2 = 0;
  while ((1 << log2) < value) ++log2;
  return log2;
}

/// Returns the limit for the number of flat samples in a 7x7 square; it grows with the picture's
/// size.
int flat_limit(int width, int height) {
  constexpr int kSquare = kCambiFlatSize * kCambiFlatSize;
  const int blocks = (width >> 6) * (height >> 6);
  return (kSquare + 3 * (log2_ceiling(blocks) - 11) - 1) >> 1;
}

bool is_halved(int option, int width, int height) {
  const int samples = width * height;
  switch (option) {
    case 1080:
      return samples >= 1920 * 1080;
    case 1440:
      return samples >= 2560 * 1440;
    case 2160:
      return samples >= 3840 * 2160;
    default:
      return false;
  }
}

/// Returns the side of the sample window for the encode's size, from the value of the option. Its
/// default, 65 samples, is one degree of a 4K picture.
int choose_window(int option, const CambiSetup& setup) {
  int window = (option * (setup.width + setup.height) / 375) >> 4;
  if (setup.halved) window = (window + 1) >> 1;
  return window | 1;
}

void check_cambi(const video::PictureFormat& format, const FeatureOptions& options) {
  const int bits = format.pixel.bits;
  if (bits != 8 && bits != 10 && bits != 12 && bits != 16) {
    throw usage_error("cambi is defined for 8, 10, 12 and 16 bits a sample, not for {}", bits);
  }
  [[maybe_unused]] const CambiSetup setup = cambi_setup(format, options);
}

/// Returns, for each sample of an encode, its position in a larger picture: the nearest neighbour,
/// found by adding binary32 steps as in libvmaf.
std::vector<int> nearest_samples(int from, int to) {
  std::vector<int> nearest(static_cast<std::size_t>(to));
  const float step = static_cast<float>(from) / static_cast<float>(to);
  auto at = static_cast<float>(double{step / 2} - 0.5);
  for (int& index : nearest) {
    index = std::min(static_cast<int>(std::floor(double{at} + 0.5)), from - 1);
    at += step;
  }
  return nearest;
}

/// Moves the `count` largest values to the front by Hoare's algorithm 65 (FIND, 1961). libvmaf adds
/// them in the order in which the algorithm leaves them, and that order decides the last bits of a
/// sum that a binary64 does not hold.
void move_largest_to_front(std::span<float> values, std::ptrdiff_t count) {
  std::ptrdiff_t left = 0;
  auto right = std::ssize(values) - 1;
  float* const at = values.data();
  while (count < std::ssize(values) && left < right) {
    const float pivot = at[count];
    std::ptrdiff_t i = left;
    std::ptrdiff_t j = right;
    while (i <= j) {
      while (at[i] > pivot) ++i;
      while (at[j] < pivot) --j;
      if (i <= j) std::swap(at[i++], at[j--]);
    }
    if (j < count) left = i;
    if (count < i) right = j;
  }
}

}  // namespace

CambiSetup cambi_setup(const video::PictureFormat& format, const FeatureOptions& options) {
  CambiSetup setup;
  setup.width = options.integer("enc_width");
  setup.height = options.integer("enc_height");
  if (setup.width == 0 || setup.height == 0 || setup.width > format.width ||
      setup.height > format.height) {
    setup.width = format.width;
    setup.height = format.height;
  }
  if (setup.width < kCambiMinimumSize && setup.height < kCambiMinimumSize) {
    throw usage_error("cambi needs pictures of at least {} samples on one side, not {}x{}",
                      kCambiMinimumSize, setup.width, setup.height);
  }
  setup.bits = options.integer("enc_bitdepth");
  if (setup.bits == 0) setup.bits = format.pixel.bits;
  setup.halved = is_halved(options.integer("cambi_high_res_speedup"), setup.width, setup.height);
  setup.window = choose_window(options.integer("window_size"), setup);
  if (setup.window * setup.window >= kCambiWindowLimit) {
    throw usage_error("cambi's window of {0}x{0} samples is too large in pictures of {1}x{2}",
                      setup.window, setup.width, setup.height);
  }
  const int least = std::min(setup.width, setup.height);
  if (least < (1 << (kCambiScales - 1)) * (setup.window / 2 + 1) * (setup.halved ? 2 : 1)) {
    throw usage_error(
        "cambi: half of the window of {0} samples must fit into the picture of {1}x{2} at 1/{3} of "
        "its size",
        setup.window, setup.width, setup.height, 1 << (kCambiScales - 1));
  }
  setup.steps = 1 << options.integer("max_log_contrast");
  const double share = options.real("topk");
  setup.top_share = share != 0.6 ? share : options.real("cambi_topk");
  setup.most = options.real("cambi_max_val");
  setup.flat_limit = flat_limit(setup.width, setup.height);
  for (int step = 1; step <= setup.steps; ++step) {
    setup.visible[static_cast<std::size_t>(step - 1)] =
        last_visible(step, options.real("tvi_threshold"));
  }
  setup.dark = first_bright(options.real("cambi_vis_lum_threshold"));
  setup.first_counted = std::max(setup.dark - 3 * setup.steps + 1, 0);
  const int last = setup.visible[static_cast<std::size_t>(setup.steps - 1)] + setup.steps;
  setup.counted = std::max(last + 1 - setup.first_counted, 0);
  return setup;
}

CambiPlaces cambi_places(const video::PictureFormat& format, const CambiSetup& setup) {
  CambiPlaces places{nearest_samples(format.width, setup.width),
                     nearest_samples(format.height, setup.height)};
  if (setup.width == format.width && setup.height == format.height) {
    std::iota(places.columns.begin(), places.columns.end(), 0);
    std::iota(places.rows.begin(), places.rows.end(), 0);
  }
  return places;
}

std::array<CambiSize, kCambiScales> cambi_sizes(const CambiSetup& setup) {
  const auto halved = [](const CambiSize& size) {
    return CambiSize{(size.width + 1) >> 1, (size.height + 1) >> 1};
  };
  std::array<CambiSize, kCambiScales> sizes{};
  sizes[0] = {setup.width, setup.height};
  if (setup.halved) sizes[0] = halved(sizes[0]);
  for (std::size_t scale = 1; scale < kCambiScales; ++scale)
    sizes[scale] = halved(sizes[scale - 1]);
  return sizes;
}

std::size_t cambi_contrast_count(const CambiSetup& setup) {
  std::size_t count = 0;
  for (const CambiSize& size : cambi_sizes(setup)) count += size.samples();
  return count;
}

std::size_t cambi_averaged_count(const CambiSetup& setup, const CambiSize& size) {
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(setup.top_share * static_cast<double>(size.samples())), 1,
      size.samples());
}

double cambi_mean_of_largest(std::span<float> values, std::size_t largest) {
  const auto count = static_cast<std::ptrdiff_t>(largest);
  // If few contrasts are above 0, they are the largest. Contrasts are multiples of 2^-24, because
  // those above 0 are at least 0.5. A binary64 then holds their sum in any order of addition.
  std::int64_t whole_sum = 0;
  std::int64_t positive = 0;
  for (const float value : values) {
    whole_sum += static_cast<std::int64_t>(double{value} * 0x1p24);
    positive += value > 0 ? 1 : 0;
  }
  if (positive <= count && whole_sum <= std::int64_t{1} << 53) {
    return static_cast<double>(whole_sum) * 0x1p-24 / static_cast<double>(count);
  }
  move_largest_to_front(values, count);
  double sum = 0;
  for (const float value : values.first(largest)) sum += double{value};
  return sum / static_cast<double>(count);
}

double cambi_score(std::span<const double, kCambiScales> means, const CambiSetup& setup) {
  constexpr std::array<int, kCambiScales> kWeights{16, 8, 4, 2, 1};
  double score = 0;
  for (std::size_t scale = 0; scale < kCambiScales; ++scale)
    score += means[scale] * kWeights[scale];
  return std::min(score / (setup.window * setup.window), setup.most);
}

namespace {

/// A plane whose rows have space for vectors at both ends.
template <class Sample>
class CambiPlane {
 public:
  CambiPlane() = default;
  CambiPlane(int width, int height)
      : stride_(width + 2 * kMargin), samples_(static_cast<std::size_t>(stride_ * (height + 1))) {}

  [[nodiscard]] Sample* row(int y) { return samples_.data() + kMargin + y * stride_; }
  [[nodiscard]] const Sample* row(int y) const { return samples_.data() + kMargin + y * stride_; }

 private:
  static constexpr std::ptrdiff_t kMargin = 32;
  std::ptrdiff_t stride_ = 0;
  std::vector<Sample> samples_;
};

constexpr int kCambiRowsPerPiece = 32;
/// Smallest number of rows for which a thread counts its first windows anew.
constexpr int kCambiMinRowsPerCount = 64;

/// Working memory and arithmetic of one request.
class CambiFinder final : public CambiContrasts {
 public:
  CambiFinder(const video::PictureFormat& format, const CambiSetup& setup, std::size_t threads,
              const CambiRowFunctions& rows)
      : bits_(format.pixel.bits),
        setup_(setup),
        sizes_(cambi_sizes(setup)),
        rows_(rows),
        is_resampled_(setup.width != format.width || setup.height != format.height),
        flat_(setup.width, setup.height),
        places_(cambi_places(format, setup)) {
    const CambiPlane<std::uint16_t> plane(setup.width, setup.height);
    const CambiPlane<std::uint8_t> mask(setup.width, setup.height);
    samples_ = spare_ = plane;
    mask_ = spare_mask_ = mask;
    for (std::size_t i = 0; i < threads; ++i) {
      counts_.emplace_back(sizes_[0].width, setup);
      modes_.emplace_back(setup.width, 3);
    }
  }

  void find(const CambiLuma& luma, ThreadTeam& team, std::span<float> contrasts) override {
    width_ = setup_.width;
    height_ = setup_.height;
    sample(luma, team);
    if (setup_.bits < 10) smooth(team);
    find_flat(team);
    for (std::size_t scale = 0; scale < kCambiScales; ++scale) {
      if (scale > 0 || setup_.halved) halve(sizes_[scale], team);
      filter_modes(team);
      find_contrasts(team, contrasts.data());
      contrasts = contrasts.subspan(sizes_[scale].samples());
    }
  }

 private:
  /// Converts the picture to 10-bit samples and to the size of the encode (options enc_width and
  /// enc_height).
  void sample(const CambiLuma& luma, ThreadTeam& team) {
    team.run_rows({0, height_}, kCambiRowsPerPiece, [&](int y, std::size_t) {
      const int line = places_.rows[static_cast<std::size_t>(y)];
      std::visit([&](const auto& plane) { convert(plane.row(line), samples_.row(y)); }, luma);
    });
  }
  template <class Sample>
  void convert(const Sample* from, std::uint16_t* to) const {
    const auto to_10_bits = [bits = bits_](Sample sample) {
      if constexpr (sizeof(Sample) == 1) return static_cast<std::uint16_t>(sample << 2);
      const int more = bits - 10;
      const int half = more > 0 ? 1 << (more - 1) : 0;
      return static_cast<std::uint16_t>((sample + half) >> more);
    };
    if (is_resampled_) {
      for (int x = 0; x < width_; ++x) {
        to[x] = to_10_bits(from[places_.columns[static_cast<std::size_t>(x)]]);
      }
    } else {
      std::transform(from, from + width_, to, to_10_bits);
    }
  }

  /// Averages 2x2 samples, to hide the dither of an encode that has fewer than 10 bits.
  void smooth(ThreadTeam& team) {
    team.run_rows({0, height_}, kCambiRowsPerPiece, [&](int y, std::size_t) {
      const bool last = y + 1 == height_;
      const std::uint16_t* const row = samples_.row(y);
      const std::uint16_t* const below = last ? row : samples_.row(y + 1);
      std::uint16_t* const to = spare_.row(y);
      for (int x = 0; x + 1 < width_; ++x) {
        // With 16 bits for the sum, compilers add eight samples at once.
        const auto sum = static_cast<std::uint16_t>(row[x] + row[x + 1] + below[x] + below[x + 1]);
        to[x] = static_cast<std::uint16_t>(sum >> 2);
      }
      to[width_ - 1] = static_cast<std::uint16_t>((row[width_ - 1] + below[width_ - 1]) >> 1);
    });
    std::swap(samples_, spare_);
  }

  void find_flat(ThreadTeam& team) {
    team.run_rows({0, height_}, kCambiRowsPerPiece, [&](int y, std::size_t) {
      rows_.mark_flat(samples_.row(y), y + 1 < height_ ? samples_.row(y + 1) : nullptr, width_,
                      flat_.row(y));
    });
    // If the first scale is halved, the mask of every other row is not read.
    const int step = setup_.halved ? 2 : 1;
    team.run_rows({0, (height_ + step - 1) / step}, kCambiRowsPerPiece, [&](int row, std::size_t) {
      const int y = row * step;
      std::array<const std::uint8_t*, kCambiFlatSize> around{};
      for (int i = 0; i < kCambiFlatSize; ++i) {
        const int from = y + i - kCambiFlatSize / 2;
        // Rows outside the picture are row `height_`, which has no flat sample.
        around[static_cast<std::size_t>(i)] =
            flat_.row(from >= 0 && from < height_ ? from : height_);
      }
      rows_.mask(around, width_, setup_.flat_limit, mask_.row(y));
    });
  }

  void halve(const CambiSize& size, ThreadTeam& team) {
    width_ = size.width;
    height_ = size.height;
    const auto halve_row = [this](const auto* from, auto* to) {
      const int width = width_;  // a copy, because a store to `to` could change the member
      for (int x = 0; x < width; ++x) to[x] = from[2 * x];
    };
    team.run_rows({0, height_}, kCambiRowsPerPiece, [&](int y, std::size_t) {
      halve_row(samples_.row(2 * y), spare_.row(y));
      halve_row(mask_.row(2 * y), spare_mask_.row(y));
    });
    std::swap(samples_, spare_);
    std::swap(mask_, spare_mask_);
  }

  /// Filters horizontally, except the outer columns, then vertically, except the outer rows.
  void filter_modes(ThreadTeam& team) {
    team.run_rows({0, height_}, kCambiRowsPerPiece, [&](int y, std::size_t thread) {
      const std::uint16_t* const row = samples_.row(y);
      if (y == 0 || y + 1 == height_) {
        std::copy(row, row + width_, spare_.row(y));
        return;
      }
      CambiPlane<std::uint16_t>& filtered = modes_[thread];
      // Two of the three filtered rows are left from the previous row, except in the first row of a
      // piece.
      for (int line = y % kCambiRowsPerPiece == 0 || y == 1 ? y - 1 : y + 1; line <= y + 1;
           ++line) {
        filter_modes_of_row(samples_.row(line), filtered.row(line % 3));
      }
      rows_.modes(filtered.row((y - 1) % 3), filtered.row(y % 3), filtered.row((y + 1) % 3), width_,
                  spare_.row(y));
    });
    std::swap(samples_, spare_);
  }
  void filter_modes_of_row(const std::uint16_t* row, std::uint16_t* to) const {
    rows_.modes(row - 1, row, row + 1, width_, to);
    to[0] = row[0];
    to[width_ - 1] = row[width_ - 1];
  }

  void find_contrasts(ThreadTeam& team, float* contrasts) {
    const auto pieces = std::clamp<std::size_t>(
        static_cast<std::size_t>(height_ / kCambiMinRowsPerCount), 1, team.threads());
    team.run(pieces, [&](std::size_t piece, std::size_t thread) {
      const auto row_of = [&](std::size_t part) {
        return static_cast<int>(static_cast<std::size_t>(height_) * part / pieces);
      };
      find_contrasts(row_of(piece), row_of(piece + 1), counts_[thread], contrasts);
    });
  }
  void find_contrasts(int first, int last, CambiCounts& counts, float* contrasts) {
    const int half = setup_.window / 2;
    counts.clear();
    for (int y = first - half; y < first + half; ++y) {
      rows_.slide(row(y), {}, width_, setup_, counts);
    }
    for (int y = first; y < last; ++y) {
      rows_.slide(row(y + half), y == first ? CambiRow{} : row(y - half - 1), width_, setup_,
                  counts);
      rows_.contrasts(row(y), width_, setup_, counts,
                      contrasts + static_cast<std::ptrdiff_t>(y) * width_);
    }
  }
  /// Returns row y of the picture; an empty row if y is outside the picture.
  [[nodiscard]] CambiRow row(int y) const {
    if (y < 0 || y >= height_) return {};
    return {samples_.row(y), mask_.row(y)};
  }

  int bits_;
  CambiSetup setup_;
  std::array<CambiSize, kCambiScales> sizes_;
  const CambiRowFunctions& rows_;
  int width_ = 0;  ///< columns of the current scale
  int height_ = 0;
  bool is_resampled_;
  CambiPlane<std::uint16_t> samples_;
  CambiPlane<std::uint16_t> spare_;
  CambiPlane<std::uint8_t> flat_;
  CambiPlane<std::uint8_t> mask_;
  CambiPlane<std::uint8_t> spare_mask_;
  CambiPlaces places_;
  std::vector<CambiCounts> counts_;  // rows after the horizontal mode filter, one plane per thread
  std::vector<CambiPlane<std::uint16_t>> modes_;  // rows of the horizontal filter, one per thread
};

class CambiScorer {
 public:
  CambiScorer(const video::PictureFormat& format, const CambiSetup& setup, std::size_t threads,
              const CambiRowFunctions& rows)
      : setup_(setup),
        finder_(format, setup, threads, rows),
        contrasts_(cambi_contrast_count(setup)) {}

  double score(const video::Picture& picture, ThreadTeam& team) {
    CambiLuma luma;
    if (picture.format().pixel.bits == 8) {
      luma = picture.plane<std::uint8_t>(0);
    } else {
      luma = picture.plane<std::uint16_t>(0);
    }
    finder_.find(luma, team, contrasts_);
    std::array<double, kCambiScales> means{};
    std::span<float> contrasts = contrasts_;
    const std::array<CambiSize, kCambiScales> sizes = cambi_sizes(setup_);
    for (std::size_t scale = 0; scale < kCambiScales; ++scale) {
      const std::size_t count = sizes[scale].samples();
      means[scale] =
          cambi_mean_of_largest(contrasts.first(count), cambi_averaged_count(setup_, sizes[scale]));
      contrasts = contrasts.subspan(count);
    }
    return cambi_score(means, setup_);
  }

 private:
  CambiSetup setup_;
  CambiFinder finder_;
  std::vector<float> contrasts_;
};

class CambiKernel final : public PairKernel {
 public:
  CambiKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
              std::size_t threads, const CambiRowFunctions& rows) {
    for (const FeatureRequest& request : requests) {
      scorers_.emplace_back(format, cambi_setup(format, request.options), threads, rows);
    }
  }

  void score(const video::Picture& /*reference*/, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    for (std::size_t i = 0; i < scorers_.size(); ++i)
      scores[i] = scorers_[i].score(distorted, team);
  }

 private:
  std::vector<CambiScorer> scorers_;
};

std::unique_ptr<PairKernel> make_scalar_cambi(const video::PictureFormat& format,
                                              std::span<const FeatureRequest> requests,
                                              std::size_t threads) {
  return make_cambi_kernel(format, requests, threads, cambi_rows());
}

}  // namespace

std::unique_ptr<CambiContrasts> make_cambi_contrasts(const video::PictureFormat& format,
                                                     const CambiSetup& setup, std::size_t threads,
                                                     const CambiRowFunctions& rows) {
  return std::make_unique<CambiFinder>(format, setup, threads, rows);
}

std::unique_ptr<PairKernel> make_cambi_kernel(const video::PictureFormat& format,
                                              std::span<const FeatureRequest> requests,
                                              std::size_t threads, const CambiRowFunctions& rows) {
  return std::make_unique<CambiKernel>(format, requests, threads, rows);
}

const FeatureFamily& cambi_family() {
  static constexpr std::array kFeatures{Feature{"cambi", "equal to libvmaf's scalar build",
                                                kCambiOptions, cambi_outputs, check_cambi}};
  static constexpr FeatureFamily kFamily{"cambi", kFeatures, make_scalar_cambi};
  return kFamily;
}

}  // namespace sidecore::metrics
