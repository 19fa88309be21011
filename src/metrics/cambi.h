// cambi: how visible banding is in a distorted picture's luma, as libvmaf's feature of that name
// (Tandon et al., "CAMBI: contrast-aware multiscale banding index", 2021). Contrasts between a
// sample and those around it that differ by a few steps of 10 bits are found in five scales. This
// header is what implementations share: the arithmetic of a row is theirs, all else is here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

inline constexpr std::size_t kCambiScales = 5;
/// At least one side of a picture has as many samples.
inline constexpr int kCambiMinimumSize = 216;
/// Windows have fewer samples than this.
inline constexpr int kCambiWindowLimit = 4226;
/// Steps of 10 bits that contrasts are looked for in: 1 to this, at most.
inline constexpr int kCambiMostSteps = 32;
/// The square in which flat samples are counted.
inline constexpr int kCambiFlatSize = 7;

/// What a request's options come to for a size and depth.
struct CambiSetup {
  int width = 0;  ///< of the encode: pictures are sampled to it
  int height = 0;
  int bits = 8;            ///< of the encode
  bool halved = false;     ///< whether the first scale is half of it already
  int window = 1;          ///< samples on a side, odd
  int steps = 4;           ///< a power of 2
  double top_share = 0.6;  ///< of the samples, those of most contrast
  double most = 1000;      ///< scores are clipped to it
  int flat_limit = 0;      ///< samples with more flat ones around them are looked at
  /// A contrast of a step (index 0 is 1) is visible up to this sample.
  std::array<int, kCambiMostSteps> visible{};
  int dark = 0;  ///< contrasts below this sample are invisible
  /// Samples that windows count: from `first_counted`, as many.
  int first_counted = 0;
  int counted = 0;
};

/// Throws Error (usage) where cambi is not defined.
[[nodiscard]] CambiSetup cambi_setup(const video::PictureFormat& format,
                                     const FeatureOptions& options);

/// Where an encode's columns or rows lie in a picture of another size, or of its own.
struct CambiPlaces {
  std::vector<int> columns;  ///< one for each of the encode's
  std::vector<int> rows;
};
[[nodiscard]] CambiPlaces cambi_places(const video::PictureFormat& format, const CambiSetup& setup);

struct CambiSize {
  int width = 0;
  int height = 0;

  [[nodiscard]] std::size_t samples() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};
/// Of the scales, from the largest on.
[[nodiscard]] std::array<CambiSize, kCambiScales> cambi_sizes(const CambiSetup& setup);
/// Of the contrasts of all scales.
[[nodiscard]] std::size_t cambi_contrast_count(const CambiSetup& setup);

/// How many of a scale's contrasts are averaged: the largest ones.
[[nodiscard]] std::size_t cambi_largest(const CambiSetup& setup, const CambiSize& size);

/// The mean of the `count` largest, not none; changes the order of all, as a sum beyond what a
/// double holds depends on it.
[[nodiscard]] double cambi_mean_of_largest(std::span<float> values, std::size_t count);

/// The score that the means of the scales' largest contrasts come to.
[[nodiscard]] double cambi_score(std::span<const double, kCambiScales> means,
                                 const CambiSetup& setup);

/// Samples of a row and which of them are looked at; none where `samples` is null.
struct CambiRow {
  const std::uint16_t* samples = nullptr;
  const std::uint8_t* mask = nullptr;  ///< 0 or 1
};

/// For each column, how many samples of each value the window around it has.
class CambiCounts {
 public:
  CambiCounts() = default;
  CambiCounts(int width, const CambiSetup& setup)
      : stride_((width + 2 * (setup.window / 2) + 2 * kPadding - 1) / kPadding * kPadding),
        margin_(setup.window / 2),
        counts_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(setup.counted)) {}

  void clear() { counts_.assign(counts_.size(), 0); }
  /// Of one value, from the first counted one, at a column. Half a window lies on both sides;
  /// behind that, 8 more may be read and written back.
  [[nodiscard]] std::uint16_t* at(int value, int column) {
    return counts_.data() + static_cast<std::ptrdiff_t>(value) * stride_ + margin_ + column;
  }
  [[nodiscard]] const std::uint16_t* at(int value, int column) const {
    return counts_.data() + static_cast<std::ptrdiff_t>(value) * stride_ + margin_ + column;
  }
  [[nodiscard]] std::ptrdiff_t stride() const { return stride_; }

 private:
  static constexpr int kPadding = 8;
  std::ptrdiff_t stride_ = 0;
  int margin_ = 0;
  std::vector<std::uint16_t> counts_;
};

/// The arithmetic of a row. The definition is cambi_rows(); other implementations give the same
/// bits.
struct CambiRowFunctions {
  /// 1 where a sample is that on its right and that below it; there is none behind the last column,
  /// and none below where `below` is null.
  void (*mark_flat)(const std::uint16_t* row, const std::uint16_t* below, int width,
                    std::uint8_t* flat);
  /// 1 where more than `limit` of the 7x7 around a sample are flat. `rows` may be read 3 samples
  /// before their first and behind their last, and 16 more.
  void (*mask)(const std::array<const std::uint8_t*, kCambiFlatSize>& rows, int width, int limit,
               std::uint8_t* mask);
  /// The value that at least two of three rows have, or their least.
  void (*modes)(const std::uint16_t* first, const std::uint16_t* second, const std::uint16_t* third,
                int width, std::uint16_t* to);
  /// Takes a row out of the counts of the windows that have it and puts another one in.
  void (*slide)(const CambiRow& entering, const CambiRow& leaving, int width,
                const CambiSetup& setup, CambiCounts& counts);
  /// The largest contrast of each sample that is looked at, 0 for the others.
  void (*contrasts)(const CambiRow& row, int width, const CambiSetup& setup,
                    const CambiCounts& counts, float* to);
};
[[nodiscard]] const CambiRowFunctions& cambi_rows();

/// Samples of 8 bits, or of more.
using CambiLuma =
    std::variant<video::PlaneView<const std::uint8_t>, video::PlaneView<const std::uint16_t>>;

/// Finds the contrasts of planes of one format. Owns the memory that it works in: one thread calls
/// it at a time.
class CambiContrasts {
 public:
  virtual ~CambiContrasts() = default;
  /// Those of a scale row by row, from the largest scale on: `contrasts` has
  /// cambi_contrast_count(). They do not depend on the number of threads.
  virtual void find(const CambiLuma& luma, ThreadTeam& team, std::span<float> contrasts) = 0;
};
/// `threads` bounds the thread numbers of the teams it will be given.
[[nodiscard]] std::unique_ptr<CambiContrasts> make_cambi_contrasts(
    const video::PictureFormat& format, const CambiSetup& setup, std::size_t threads,
    const CambiRowFunctions& rows);

/// A kernel of the family cambi.
[[nodiscard]] std::unique_ptr<PairKernel> make_cambi_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const CambiRowFunctions& rows);

/// 1 / n to nine decimal digits, n below kCambiWindowLimit.
[[nodiscard]] std::span<const float> cambi_reciprocals();
/// How much the contrast of a step counts (index 0 is 1).
[[nodiscard]] std::span<const int> cambi_step_weights();

}  // namespace sidecore::metrics
