// cambi: visibility of banding in a distorted picture's luma, as libvmaf's feature cambi computes
// it (Tandon et al., "CAMBI: contrast-aware multiscale banding index", 2021). It finds, in five
// scales, contrasts of a few 10-bit levels between a sample and its sample window. Implementations
// share this header; each provides only the arithmetic of a row (CambiRowFunctions).
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
/// The larger side of a picture must have at least this many samples.
inline constexpr int kCambiMinimumSize = 216;
/// Exclusive limit for the number of samples in a sample window.
inline constexpr int kCambiWindowLimit = 4226;
/// Largest number of contrast steps: contrasts of 1 to this many 10-bit levels are searched.
inline constexpr int kCambiMaxContrastSteps = 32;
/// Side, in samples, of the square in which flat samples are counted.
inline constexpr int kCambiFlatSize = 7;

/// Parameters of a request, resolved for one picture size and depth.
struct CambiSetup {
  int width = 0;  ///< size of the encode; pictures are resampled to it
  int height = 0;
  int bits = 8;            ///< bits per sample of the encode
  bool halved = false;     ///< true if the first scale already has half the encode's size
  int window = 1;          ///< side of the sample window in samples, odd
  int steps = 4;           ///< number of contrast steps, a power of 2
  double top_share = 0.6;  ///< share of samples, those with the largest contrasts, that is averaged
  double most = 1000;      ///< upper limit of the score
  int flat_limit = 0;      ///< a sample is examined if more samples than this around it are flat
  /// visible[i]: largest sample at which a contrast of i + 1 levels is visible.
  std::array<int, kCambiMaxContrastSteps> visible{};
  int dark = 0;  ///< sample value; contrasts at smaller values are invisible
  /// Sample values that the windows count: `counted` values from `first_counted` on.
  int first_counted = 0;
  int counted = 0;
};

/// Returns the parameters. Throws Error (usage) if cambi is not defined for the format or the
/// options.
[[nodiscard]] CambiSetup cambi_setup(const video::PictureFormat& format,
                                     const FeatureOptions& options);

/// Positions of the encode's columns and rows in a picture whose size may differ.
struct CambiPlaces {
  std::vector<int> columns;  ///< picture column for each column of the encode
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
/// Returns the sizes of all scales, the largest first.
[[nodiscard]] std::array<CambiSize, kCambiScales> cambi_sizes(const CambiSetup& setup);
/// Returns the number of contrasts in all scales together.
[[nodiscard]] std::size_t cambi_contrast_count(const CambiSetup& setup);

/// Returns the number of contrasts in a scale that are averaged. These are the largest ones.
[[nodiscard]] std::size_t cambi_averaged_count(const CambiSetup& setup, const CambiSize& size);

/// Returns the mean of the `count` largest values; `count` must not be 0. May reorder all
/// values, because a sum with more bits than a double depends on the order of addition.
[[nodiscard]] double cambi_mean_of_largest(std::span<float> values, std::size_t count);

/// Returns the score from the mean of each scale's largest contrasts.
[[nodiscard]] double cambi_score(std::span<const double, kCambiScales> means,
                                 const CambiSetup& setup);

/// One row of samples with a mask of the examined ones. `samples` is null for an empty row.
struct CambiRow {
  const std::uint16_t* samples = nullptr;
  const std::uint8_t* mask = nullptr;  ///< 1 if the sample is examined, else 0
};

/// Number of samples of each value in the sample window around each column.
class CambiCounts {
 public:
  CambiCounts() = default;
  CambiCounts(int width, const CambiSetup& setup)
      : stride_((width + 2 * (setup.window / 2) + 2 * kPadding - 1) / kPadding * kPadding),
        margin_(setup.window / 2),
        counts_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(setup.counted)) {}

  void clear() { counts_.assign(counts_.size(), 0); }
  /// Returns the count for `value`, numbered from the first counted value, at `column`. Half a
  /// window lies on both sides; 8 more counts after the right half may be read and written back
  /// unchanged.
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

/// Returns the value of a sample relative to setup.first_counted; -1 if it is not counted.
[[nodiscard]] inline int cambi_counted_value(const CambiRow& row, int x, const CambiSetup& setup) {
  if (row.samples == nullptr || row.mask[x] == 0) return -1;
  const int value = int{row.samples[x]} - setup.first_counted;
  return value >= 0 && value < setup.counted ? value : -1;
}

/// Returns the largest contrast of a sample. `value` is relative to the first counted value, and
/// `count` points to the number of samples with that value in the window.
[[nodiscard]] float cambi_largest_contrast(int value, const std::uint16_t* count,
                                           std::ptrdiff_t stride, const CambiSetup& setup);

/// Arithmetic of one row. cambi_rows() is the scalar definition; other implementations give the
/// same bits.
struct CambiRowFunctions {
  /// Sets flat[x] to 1 if the sample equals its right and lower neighbours, else 0. A missing
  /// neighbour (last column, or `below` null) counts as equal.
  void (*mark_flat)(const std::uint16_t* row, const std::uint16_t* below, int width,
                    std::uint8_t* flat);
  /// Sets mask[x] to 1 if more than `limit` samples of the 7x7 square around x are flat. Code may
  /// read 3 samples before and after each row, and 16 more.
  void (*mask)(const std::array<const std::uint8_t*, kCambiFlatSize>& rows, int width, int limit,
               std::uint8_t* mask);
  /// Writes the value that at least two of the three rows have in a column, or their minimum.
  void (*modes)(const std::uint16_t* first, const std::uint16_t* second, const std::uint16_t* third,
                int width, std::uint16_t* to);
  /// Removes a leaving row from the counts of all windows that contain it, and adds an entering
  /// row.
  void (*slide)(const CambiRow& entering, const CambiRow& leaving, int width,
                const CambiSetup& setup, CambiCounts& counts);
  /// Writes the largest contrast of each examined sample, 0 for the others.
  void (*contrasts)(const CambiRow& row, int width, const CambiSetup& setup,
                    const CambiCounts& counts, float* to);
};
[[nodiscard]] const CambiRowFunctions& cambi_rows();

/// Luma samples of 8 bits, or of 10 to 16 bits.
using CambiLuma =
    std::variant<video::PlaneView<const std::uint8_t>, video::PlaneView<const std::uint16_t>>;

/// Finds the contrasts of planes of one format. Owns its working memory, so only one thread at a
/// time may call it.
class CambiContrasts {
 public:
  virtual ~CambiContrasts() = default;
  /// Writes the contrasts scale by scale, the largest first, each row by row. `contrasts` has
  /// cambi_contrast_count() elements. Results do not depend on the number of threads.
  virtual void find(const CambiLuma& luma, ThreadTeam& team, std::span<float> contrasts) = 0;
};
/// Makes an object that finds contrasts. `threads` is the exclusive limit of thread numbers in the
/// teams that find() receives.
[[nodiscard]] std::unique_ptr<CambiContrasts> make_cambi_contrasts(
    const video::PictureFormat& format, const CambiSetup& setup, std::size_t threads,
    const CambiRowFunctions& rows);

/// Makes a kernel of the family cambi.
[[nodiscard]] std::unique_ptr<PairKernel> make_cambi_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const CambiRowFunctions& rows);

/// Reciprocals 1 / n to nine decimal digits, for n below kCambiWindowLimit.
[[nodiscard]] std::span<const float> cambi_reciprocals();
/// Weight of the contrast of each step; index 0 is a step of one level.
[[nodiscard]] std::span<const int> cambi_step_weights();

}  // namespace sidecore::metrics
