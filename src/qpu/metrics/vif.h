// Host side of the QPU implementation of metrics/vif.h.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "metrics/vif.h"
#include "metrics/vif.interface.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::qpu {

/// Returns a gain limit, 1 to 100, in the form that the shader reads.
[[nodiscard]] shader::VifLimit vif_limit(double gain_limit);

/// Records the dispatches that compute vif's sums for a pair of luma planes, once per gain limit.
/// The planes and the results are in device-visible buffers. The class owns the buffers between the
/// dispatches, so command lists that use one object must not run at the same time.
class Vif {
 public:
  /// Position of a scale's tiles: shader::VifTile, row by row of tiles.
  struct Tiles {
    std::uint32_t first = 0;
    std::uint32_t across = 0;
    std::uint32_t down = 0;
  };
  /// Positions of one limit's tiles, with gaps between the scales.
  struct TilePlaces {
    std::array<Tiles, metrics::kVifScales> scales;
    std::uint32_t tiles = 0;
  };
  [[nodiscard]] static TilePlaces tile_places(const video::PictureFormat& format);
  /// Returns the number of columns of a tile that have windows; the padding has none.
  [[nodiscard]] static std::uint32_t tile_columns(std::size_t scale);

  /// Creates the recorder. `error_scale` is a factor of at least 1 for the error bound: above 1,
  /// more windows are computed in binary64 arithmetic than necessary. Throws Error (usage) if
  /// metrics::check_vif_format() does.
  Vif(Device& device, const video::PictureFormat& format, std::span<const double> gain_limits,
      float error_scale = 1);

  [[nodiscard]] std::size_t result_bytes() const { return gain_limits_.size() * kResultBytes; }
  /// Returns the bytes of all limits' tiles, which are stored limit by limit.
  [[nodiscard]] std::size_t tile_bytes() const;

  /// Records the dispatches. A plane's range must begin with its first sample; both have one stride
  /// in bytes, a multiple of 16. `tiles` receives tile_bytes() bytes, `results` result_bytes().
  /// Throws Error (usage) if the stride or a range is too small for the rows.
  void record(CommandList& list, const BufferRange& reference, const BufferRange& distorted,
              std::size_t stride, const BufferRange& tiles, const BufferRange& results) const;

  /// Returns the sums for one limit from the results. Returns nothing if the lists of undecided
  /// windows, 15 per scale, were too short.
  [[nodiscard]] static std::optional<std::array<metrics::VifSums, metrics::kVifScales>> sums(
      std::span<const std::byte> results, std::size_t limit);

 private:
  static constexpr std::size_t kListBytes = metrics::kVifScales * sizeof(shader::VifUndecidedList);
  static constexpr std::size_t kResultBytes = kRangeAlignment;
  static_assert(metrics::kVifScales * sizeof(shader::VifTotals) <= kResultBytes);

  /// Planes of one scale.
  struct Planes {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t stride = 0;  ///< number of quads per row
    /// Number of quads from the start of the reference plane to the start of the distorted plane.
    std::uint32_t plane = 0;
    std::shared_ptr<Buffer> buffer;  ///< buffer of the scale's planes; null for scale 0
    std::shared_ptr<Program> decimate;
    std::shared_ptr<Program> windows;
  };

  video::PictureFormat format_;
  std::vector<double> gain_limits_;
  TilePlaces tile_places_;
  std::array<Planes, metrics::kVifScales> planes_;
  std::shared_ptr<Buffer> lists_;  // lists of undecided windows, one for each scale and limit
  std::shared_ptr<Program> recompute_;
  std::shared_ptr<Program> total_;
};

}  // namespace sidecore::qpu
