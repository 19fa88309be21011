// Host side of the QPU implementation of metrics/ssim.h and metrics/decimation.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metrics/certified_mean.h"
#include "metrics/ssim.interface.h"
#include "qpu/command_list.h"
#include "qpu/device.h"

namespace sidecore::qpu {

/// A plane in device-visible memory: integer samples as in a picture, or floats.
struct SsimPlane {
  /// Range that starts with the first sample; its size is a multiple of 4 bytes.
  BufferRange range;
  std::size_t stride = 0;  ///< distance between rows in bytes, a multiple of 4
  int width = 0;           ///< width in samples
  int height = 0;
  int bits = 0;  ///< bits per sample, 8 to 16; 0 for floats
};

/// How filtered samples are added up.
enum class SsimAddition {
  certified,      ///< adds in binary32; a sum whose mean is undecided is added again serially
  always_serial,  ///< adds in the order and precision of a binary64 accumulator; slow, for tests
};

/// Records decimations, and the sums over windows of pairs of planes up to a size. Owns the buffers
/// between the dispatches. They hold a band of rows at a time, so memory does not grow with the
/// planes' height.
class Ssim {
 public:
  Ssim(Device& device, int max_width, int max_height,
       SsimAddition addition = SsimAddition::certified);

  /// Value of the argument `factor` for which decimate() implements metrics::halve(); for factors
  /// 2..10 it implements metrics::decimate_box(). `to` holds floats and must have the decimated
  /// size. Throws Error (usage) if a range is too small for its rows.
  static constexpr int kHalving = 0;
  void decimate(CommandList& list, const SsimPlane& from, int factor, const SsimPlane& to) const;

  /// Writes a shader::SsimSums to `totals` at index `place`; sums that are not needed are 0. Both
  /// planes must have one size and depth, at least 11 x 11 samples. Throws Error (usage) as
  /// decimate() does.
  void measure(CommandList& list, const SsimPlane& a, const SsimPlane& b, const BufferRange& totals,
               std::uint32_t place, const metrics::SsimParts& needed) const;

  /// Writes the values from which serial_sum() computes the sum of one similarity: run_count()
  /// shader::SsimRuns in raster order. Planes must be as for measure().
  void measure_serially(CommandList& list, const SsimPlane& a, const SsimPlane& b,
                        const BufferRange& runs, metrics::SsimPart part) const;
  [[nodiscard]] static std::size_t run_count(int width, int height);
  /// Returns the scalar definition's serial sum of a similarity over planes of this size. Each term
  /// must be at most `largest` in magnitude.
  [[nodiscard]] static metrics::BoundedSum serial_sum(std::span<const shader::SsimRun> runs,
                                                      int width, int height, metrics::SsimPart part,
                                                      double largest);

  /// Number of rows of windows in a band. filter() writes the moments of all windows band by band,
  /// each as five planes in metrics::WindowMoments' order, with rows padded to quads of floats.
  static constexpr std::uint32_t kBandRows = 256;
  void filter(CommandList& list, const SsimPlane& a, const SsimPlane& b,
              const BufferRange& moments) const;

  /// Returns the device's sums over the windows of planes of this size, with their error bounds.
  [[nodiscard]] static metrics::SimilaritySums sums_of(const shader::SsimSums& sums, int width,
                                                       int height);

 private:
  /// Records the dispatches that compute the moments of `rows` rows of windows, starting with row
  /// `first`.
  void filter_band(CommandList& list, const SsimPlane& a, const SsimPlane& b, std::uint32_t first,
                   std::uint32_t rows, const BufferRange& moments) const;
  [[nodiscard]] std::uint32_t serial() const {
    return addition_ == SsimAddition::always_serial ? 1 : 0;
  }

  Device& device_;
  SsimAddition addition_;
  std::shared_ptr<Buffer> rows_;     // values of a band after the horizontal pass
  std::shared_ptr<Buffer> open_;     // marks of the sums of a pass that are undecided
  std::shared_ptr<Buffer> moments_;  // values of a band after both passes
  std::shared_ptr<Buffer> sums_;     // sums of the strips of windows
};

}  // namespace sidecore::qpu
