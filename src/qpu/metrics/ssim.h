// QPU implementation of metrics/ssim.h and metrics/decimation.h: host side.
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

/// A plane that a device sees: integer samples as they lie in a picture, or floats.
struct SsimPlane {
  BufferRange range;       ///< its first byte is the first sample, its size a multiple of 4 bytes
  std::size_t stride = 0;  ///< bytes from a row to the next, a multiple of 4
  int width = 0;           ///< samples
  int height = 0;
  int bits = 0;  ///< 8 to 16; 0: floats
};

/// How filtered samples are added up.
enum class SsimAddition {
  certified,      ///< in binary32; those that this leaves open, serially
  always_serial,  ///< as a binary64 accumulator does it: slow, for tests
};

/// Records decimations, and the sums over windows of pairs of planes of up to some size. Owns what
/// lies between the dispatches: a band of rows at a time, so that memory does not grow with the
/// planes' height.
class Ssim {
 public:
  Ssim(Device& device, int max_width, int max_height,
       SsimAddition addition = SsimAddition::certified);

  /// Implementation of metrics::decimate_box() for factors 2..10, of metrics::halve() for kHalving.
  /// `to` holds floats and has the decimated size. Throws Error (usage) when a range does not hold
  /// its rows.
  static constexpr int kHalving = 0;
  void decimate(CommandList& list, const SsimPlane& from, int factor, const SsimPlane& to) const;

  /// Writes a shader::SsimSums to `totals` at index `place`; sums that are not needed are 0. Planes
  /// have one size and depth, at least 11 x 11 samples. Throws Error (usage) as decimate() does.
  void measure(CommandList& list, const SsimPlane& a, const SsimPlane& b, const BufferRange& totals,
               std::uint32_t place, const metrics::SsimParts& needed) const;

  /// Writes what a serial sum makes of one similarity: run_count() shader::SsimRuns, in raster
  /// order. Planes as for measure().
  void measure_serially(CommandList& list, const SsimPlane& a, const SsimPlane& b,
                        const BufferRange& runs, metrics::SsimPart part) const;
  [[nodiscard]] static std::size_t run_count(int width, int height);
  /// The definition's serial sum of that similarity over planes of this size, each term at most
  /// `largest` in magnitude.
  [[nodiscard]] static metrics::BoundedSum serial_sum(std::span<const shader::SsimRun> runs,
                                                      int width, int height, metrics::SsimPart part,
                                                      double largest);

  /// The moments alone of all windows: a band of kBandRows rows of windows after the other, each
  /// five planes in metrics::WindowMoments' order, rows of whole quads of floats.
  static constexpr std::uint32_t kBandRows = 256;
  void filter(CommandList& list, const SsimPlane& a, const SsimPlane& b,
              const BufferRange& moments) const;

  /// What the device's sums over the windows of planes of this size mean, and how far they may be
  /// off.
  [[nodiscard]] static metrics::SimilaritySums sums_of(const shader::SsimSums& sums, int width,
                                                       int height);

 private:
  /// The moments of `rows` rows of windows, from `first` on.
  void filter_band(CommandList& list, const SsimPlane& a, const SsimPlane& b, std::uint32_t first,
                   std::uint32_t rows, const BufferRange& moments) const;
  [[nodiscard]] std::uint32_t serial() const {
    return addition_ == SsimAddition::always_serial ? 1 : 0;
  }

  Device& device_;
  SsimAddition addition_;
  std::shared_ptr<Buffer> rows_;     // a band after the horizontal pass
  std::shared_ptr<Buffer> open_;     // which sums of a pass are open
  std::shared_ptr<Buffer> moments_;  // a band after both passes
  std::shared_ptr<Buffer> sums_;     // of strips
};

}  // namespace sidecore::qpu
