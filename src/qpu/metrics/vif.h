// QPU implementation of metrics/vif.h: host side.
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

/// A gain limit, of 1 to 100, as the shader takes it.
[[nodiscard]] shader::VifLimit vif_limit(double gain_limit);

/// Records the sums of a pair of luma planes that lie in device-visible buffers, for some limits of
/// the gain. Owns the buffers between the dispatches: lists with it must not run at the same time.
class Vif {
 public:
  /// Where a scale's tiles lie: shader::VifTile, row by row of tiles.
  struct Tiles {
    std::uint32_t first = 0;
    std::uint32_t across = 0;
    std::uint32_t down = 0;
  };
  /// A limit's tiles, with gaps between the scales.
  struct TilePlaces {
    std::array<Tiles, metrics::kVifScales> scales;
    std::uint32_t tiles = 0;
  };
  [[nodiscard]] static TilePlaces tile_places(const video::PictureFormat& format);
  /// Columns of a tile that have windows.
  [[nodiscard]] static std::uint32_t tile_columns(std::size_t scale);

  /// `doubt` is 1, or more to compute more windows as binary64 does than need be. Throws Error
  /// (usage) where metrics::check_vif_format() does.
  Vif(Device& device, const video::PictureFormat& format, std::span<const double> gain_limits,
      float doubt = 1);

  [[nodiscard]] std::size_t result_bytes() const { return gain_limits_.size() * kResultBytes; }
  /// Of all limits' tiles, one limit after the other.
  [[nodiscard]] std::size_t tile_bytes() const;

  /// Planes are bound as ranges whose first byte is the first sample; the stride of both is in
  /// bytes and a multiple of 16. `tiles` receives tile_bytes(), `results` result_bytes(). Throws
  /// Error (usage) for a stride or a range that does not hold the rows.
  void record(CommandList& list, const BufferRange& reference, const BufferRange& distorted,
              std::size_t stride, const BufferRange& tiles, const BufferRange& results) const;

  /// The sums with a limit, of what results hold. None where the lists of open windows, which
  /// hold 15 a scale, had no room for all.
  [[nodiscard]] static std::optional<std::array<metrics::VifSums, metrics::kVifScales>> sums(
      std::span<const std::byte> results, std::size_t limit);

 private:
  static constexpr std::size_t kListBytes = metrics::kVifScales * sizeof(shader::VifOpenList);
  // Ranges that are bound begin at multiples of 256 bytes.
  static constexpr std::size_t kResultBytes = 256;
  static_assert(metrics::kVifScales * sizeof(shader::VifTotals) <= kResultBytes);

  /// The planes of a scale.
  struct Planes {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t stride = 0;        ///< quads
    std::uint32_t plane = 0;         ///< quads from the reference to the distorted one
    std::shared_ptr<Buffer> buffer;  ///< none of scale 0
    std::shared_ptr<Program> decimate;
    std::shared_ptr<Program> windows;
  };

  video::PictureFormat format_;
  std::vector<double> gain_limits_;
  TilePlaces tile_places_;
  std::array<Planes, metrics::kVifScales> planes_;
  std::shared_ptr<Buffer> lists_;  // of each limit's scales
  std::shared_ptr<Program> settle_;
  std::shared_ptr<Program> total_;
};

}  // namespace sidecore::qpu
