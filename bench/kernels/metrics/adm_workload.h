// Workload of float_adm and adm: sums of rows over four scales.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "kernels/metrics/luma_workload.h"
#include "kernels/metrics/summers.h"
#include "metrics/float_adm.h"
#include "qpu/metrics/float_adm.h"

namespace sidecore::bench {

/// Row sums of the wavelet bands. A work unit is one row of the largest scale's bands and the rows
/// of the other scales that belong to it. Each row's result is a `Row` of nine `Number`s: three
/// bands of the reference, of the restored detail and of the impairment. A range of units is
/// computed independently, from the part of the pictures that it needs.
template <class Row, class Number>
class AdmRowsWorkload : public LumaWorkload {
 public:
  AdmRowsWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format)
      : AdmRowsWorkload(request, format, metrics::adm_scales(format, {})) {}

  [[nodiscard]] std::size_t units() const override { return summed(0); }

 protected:
  void clear_results(std::span<std::byte> memory) const override {
    for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
      std::ranges::fill(row_bytes(memory, k), std::byte{0xff});
    }
  }

  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    const std::optional<SumPosition> place = place_of(byte);
    if (!place) return std::nullopt;
    return unit_with(place->scale, place->row);
  }
  // Returns the unit whose own row is nearest to the sample; units also read rows around their own.
  [[nodiscard]] std::optional<std::size_t> unit_of_sample(std::size_t /*x*/,
                                                          std::size_t y) const override {
    return std::clamp(y / 2, top(), top() + units() - 1) - top();
  }

  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    const std::optional<SumPosition> place = place_of(byte);
    if (!place) return fmt::format("byte {} of the row sums, in the gap between two scales", byte);
    static constexpr const char* kSums[] = {"reference", "restored detail", "impairment"};
    static constexpr const char* kBands[] = {"horizontal", "vertical", "diagonal"};
    return fmt::format("scale {}, row {}, {} sum of the {} band, byte {}", place->scale, place->row,
                       kSums[place->sum / metrics::kAdmBands],
                       kBands[place->sum % metrics::kAdmBands], byte % sizeof(Number));
  }

  /// Returns the rows that belong to a range of units.
  [[nodiscard]] metrics::AdmRows rows_of(gates::UnitRange units) const {
    metrics::AdmRows rows;
    for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
      const auto row = [&](std::size_t unit) {
        return scales_[k].summed.top + static_cast<int>(first_row(k, unit));
      };
      rows[k] = {row(units.first), row(units.last)};
    }
    return rows;
  }

  /// Returns the results: for each scale, the sums of all its rows.
  [[nodiscard]] std::array<std::span<Row>, metrics::kAdmScales> row_sums(
      std::span<std::byte> memory) const {
    auto* const sums = results<Row>(memory).data();
    std::array<std::span<Row>, metrics::kAdmScales> places;
    for (std::size_t k = 0; k < metrics::kAdmScales; ++k)
      places[k] = {sums + places_.first[k], summed(k)};
    return places;
  }

  [[nodiscard]] metrics::LumaView luma(std::span<std::byte> memory, Plane which) const {
    if (format().pixel.bits == 8) return plane<const std::uint8_t>(memory, which);
    return plane<const std::uint16_t>(memory, which);
  }

 private:
  AdmRowsWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format,
                  const metrics::AdmScales& scales)
      : LumaWorkload(request, format, "row sums", qpu::adm_row_places(scales).rows * sizeof(Row)),
        scales_(scales),
        places_(qpu::adm_row_places(scales)) {}

  struct SumPosition {
    std::size_t scale;
    std::size_t row;  ///< index of the row in the summed area
    std::size_t sum;
  };

  [[nodiscard]] std::size_t top() const { return static_cast<std::size_t>(scales_[0].summed.top); }
  [[nodiscard]] std::size_t summed(std::size_t k) const {
    return static_cast<std::size_t>(scales_[k].summed.bottom - scales_[k].summed.top);
  }

  // Returns the first row of scale k that belongs to `unit` or to a later unit.
  [[nodiscard]] std::size_t first_row(std::size_t k, std::size_t unit) const {
    return unit * summed(k) / units();
  }
  // Returns the unit of a row: the last unit whose first row is not after it.
  [[nodiscard]] std::size_t unit_with(std::size_t k, std::size_t row) const {
    return ((row + 1) * units() - 1) / summed(k);
  }

  [[nodiscard]] std::optional<SumPosition> place_of(std::size_t byte) const {
    const std::size_t row = byte / sizeof(Row);
    for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
      if (row >= places_.first[k] && row < places_.first[k] + summed(k)) {
        return SumPosition{k, row - places_.first[k], byte % sizeof(Row) / sizeof(Number)};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::span<std::byte> row_bytes(std::span<std::byte> memory, std::size_t k) const {
    return results<std::byte>(memory).subspan(places_.first[k] * sizeof(Row),
                                              summed(k) * sizeof(Row));
  }

  metrics::AdmScales scales_;
  qpu::AdmRowPlaces places_;
};

}  // namespace sidecore::bench
