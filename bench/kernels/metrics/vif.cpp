#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kernels/metrics/luma_workload.h"
#include "kernels/metrics/summers.h"
#include "kernels/registry.h"
#include "metrics/vif.h"
#include "metrics/vif.interface.h"
#include "neon/metrics/vif.h"
#include "qpu/metrics/vif.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::kVifScales;
using metrics::VifFilters;
using qpu::shader::VifTile;

constexpr int kTileRows = static_cast<int>(qpu::shader::kVifTileRows);
constexpr double kGainLimit = 100;  // default of the feature's option

class VifWorkload final : public LumaWorkload {
 public:
  VifWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format)
      : LumaWorkload(request, format, "tiles",
                     qpu::Vif::tile_places(format).tiles * sizeof(VifTile)),
        places_(qpu::Vif::tile_places(format)) {}

  [[nodiscard]] std::size_t units() const override { return down(0); }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    run(scalar_, metrics::vif_rows(), memory, units);
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    run(neon_, neon::vif_rows(), memory, units);
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const qpu::Vif kernel(device, format(), std::array{kGainLimit});
    const auto results = device.create_buffer(kernel.result_bytes());
    kernel.record(list, plane_range(memory, Plane::reference),
                  plane_range(memory, Plane::distorted), stride(), result_range(memory),
                  {.buffer = results.get()});
  }

 protected:
  void clear_results(std::span<std::byte> memory) const override {
    for (std::size_t k = 0; k < kVifScales; ++k) {
      const auto all = results<std::byte>(memory);
      std::ranges::fill(
          all.subspan(places_.scales[k].first * sizeof(VifTile), tiles(k) * sizeof(VifTile)),
          std::byte{0xff});
    }
  }
  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    const std::optional<Place> place = place_of(byte);
    if (!place) return std::nullopt;
    return ((place->row + 1) * units() - 1) / down(place->scale);
  }
  [[nodiscard]] std::optional<std::size_t> unit_of_sample(std::size_t /*x*/,
                                                          std::size_t y) const override {
    return y / qpu::shader::kVifTileRows;
  }
  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    const std::optional<Place> place = place_of(byte);
    if (!place) return fmt::format("byte {} of the tiles, in the gap between two scales", byte);
    return fmt::format("scale {}, row {} of tiles, tile {}, byte {}", place->scale, place->row,
                       place->column, byte % sizeof(VifTile));
  }

 private:
  struct Place {
    std::size_t scale;
    std::size_t row;  ///< index of a row of tiles
    std::size_t column;
  };

  [[nodiscard]] std::size_t down(std::size_t k) const { return places_.scales[k].down; }
  [[nodiscard]] std::size_t across(std::size_t k) const { return places_.scales[k].across; }
  [[nodiscard]] std::size_t tiles(std::size_t k) const { return down(k) * across(k); }
  // Returns the first row of scale k's tiles that belongs to `unit` or to a later unit.
  [[nodiscard]] std::size_t first_row(std::size_t k, std::size_t unit) const {
    return unit * down(k) / units();
  }

  [[nodiscard]] std::optional<Place> place_of(std::size_t byte) const {
    const std::size_t tile = byte / sizeof(VifTile);
    for (std::size_t k = 0; k < kVifScales; ++k) {
      const std::size_t first = places_.scales[k].first;
      if (tile < first || tile >= first + tiles(k)) continue;
      return Place{k, (tile - first) / across(k), (tile - first) % across(k)};
    }
    return std::nullopt;
  }

  void run(SummerPool<VifFilters>& summers, const metrics::VifRowFunctions& functions,
           std::span<std::byte> memory, UnitRange units) const {
    const auto make = [&] { return std::make_unique<VifFilters>(format(), 1, functions); };
    summers.use(make, [&](VifFilters& filters) {
      metrics::VifRowRanges rows;
      for (std::size_t k = 0; k < kVifScales; ++k) {
        const auto row = [&](std::size_t unit) {
          return std::min(static_cast<int>(first_row(k, unit)) * kTileRows, filters.height(k));
        };
        rows[k] = {row(units.first), row(units.last)};
      }
      CallingThread thread;
      filters.make_planes(luma(memory, Plane::reference), luma(memory, Plane::distorted), rows,
                          thread);
      for (std::size_t k = 0; k < kVifScales; ++k) {
        for (int y = rows[k].first; y < rows[k].last; y += kTileRows) {
          sum_tiles(filters, functions, k, y, memory);
        }
      }
    });
  }

  /// Sums the windows of the tiles whose first row is y.
  void sum_tiles(VifFilters& filters, const metrics::VifRowFunctions& functions, std::size_t k,
                 int y, std::span<std::byte> memory) const {
    const auto columns = static_cast<int>(qpu::Vif::tile_columns(k));
    std::vector<metrics::VifSums> sums(across(k));
    const int last = std::min(y + kTileRows, filters.height(k));
    for (int row = y; row < last; ++row) {
      const metrics::VifRows& statistics = filters.statistics(k, row, 0);
      for (std::size_t tile = 0; tile < sums.size(); ++tile) {
        const int first = static_cast<int>(tile) * columns;
        functions.add_windows(statistics, first, std::min(first + columns, filters.width(k)),
                              kGainLimit, sums[tile]);
      }
    }
    const std::size_t first =
        places_.scales[k].first + static_cast<std::size_t>(y / kTileRows) * across(k);
    const std::span<VifTile> to = results<VifTile>(memory).subspan(first, sums.size());
    std::ranges::transform(sums, to.begin(), tile_of);
  }

  static VifTile tile_of(const metrics::VifSums& sums) {
    const auto variance = static_cast<std::uint64_t>(sums.flat_variance);
    const auto high = static_cast<std::uint32_t>(variance >> 32);
    return {.kept = static_cast<std::uint32_t>(sums.kept),
            .there = static_cast<std::uint32_t>(sums.there),
            .variance_low = static_cast<std::uint32_t>(variance),
            .variance_high = high | static_cast<std::uint32_t>(sums.flat) << 16U};
  }

  [[nodiscard]] metrics::LumaView luma(std::span<std::byte> memory, Plane which) const {
    if (format().pixel.bits == 8) return plane<const std::uint8_t>(memory, which);
    return plane<const std::uint16_t>(memory, which);
  }

  qpu::Vif::TilePlaces places_;
  mutable SummerPool<VifFilters> scalar_;
  mutable SummerPool<VifFilters> neon_;
};

std::unique_ptr<gates::Workload> make_vif_workload(const gates::WorkloadRequest& request) {
  const video::PictureFormat format = luma_format(request, "vif");
  metrics::check_vif_format(format);
  return std::make_unique<VifWorkload>(request, format);
}

}  // namespace

// vif: visual information. A work unit is one row of tiles of the largest scale (8 luma rows) and
// the rows of tiles of the other scales that belong to it; the sums of those tiles are its result.
// A range of units is computed independently, from the part of the pictures that it needs. QPU
// variant: `tiles`.
std::vector<gates::Kernel> vif_kernels() {
  return {{.name = "vif",
           .description = "visual information in windows of two luma planes in integers, for vif",
           .unit = "row of tiles",
           .module = "metrics",
           .variants = {{"tiles", {"vif_windows", "vif_decimate", "vif_recompute", "vif_total"}}},
           // At this width a row has a whole tile and an incomplete one at scale 0.
           .agreement_width = 131,
           .make_workload = make_vif_workload}};
}

}  // namespace sidecore::bench
