#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "bench/metrics/luma_workload.h"
#include "bench/registry.h"
#include "metrics/float_adm_sums.h"
#include "neon/metrics/float_adm.h"
#include "qpu/metrics/float_adm.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::AdmRows;
using metrics::AdmScales;
using metrics::AdmSums;
using metrics::kAdmScales;

constexpr std::size_t kRowBytes = sizeof(AdmSums::Scale);

/// Implementations made as threads ask for them, and kept: none can be used by two at once.
template <class Summer>
class Summers {
 public:
  template <class Task>
  void use(const video::PictureFormat& format, const Task& task) {
    std::unique_ptr<Summer> summer = take();
    if (!summer) summer = std::make_unique<Summer>(format, metrics::AdmOptions{}, 1);
    task(*summer);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(summer));
  }

 private:
  std::unique_ptr<Summer> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Summer> summer = std::move(idle_.back());
    idle_.pop_back();
    return summer;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Summer>> idle_;
};

class FloatAdmWorkload : public LumaWorkload {
 public:
  FloatAdmWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format,
                   const AdmScales& scales)
      : LumaWorkload(request, format, "row sums", qpu::adm_row_places(scales).rows * kRowBytes),
        scales_(scales),
        places_(qpu::adm_row_places(scales)) {}

  [[nodiscard]] std::size_t units() const override { return summed(0); }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    scalar_.use(format(), [&](metrics::AdmSummer& summer) { run(summer, memory, units); });
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    neon_.use(format(), [&](metrics::AdmSummer& summer) { run(summer, memory, units); });
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto totals = device.create_buffer(qpu::FloatAdm::kResultBytes);
    qpu::FloatAdm(device, format(), {})
        .record(list, plane_range(memory, Plane::reference), stride(),
                plane_range(memory, Plane::distorted), stride(), result_range(memory),
                {.buffer = totals.get()});
  }

 protected:
  void clear_results(std::span<std::byte> memory) const override {
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      std::ranges::fill(row_bytes(memory, k), std::byte{0xff});
    }
  }

  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    const std::optional<SumPlace> place = place_of(byte);
    if (!place) return std::nullopt;
    return unit_with(place->scale, place->row);
  }
  // The row of samples that comes closest, though a unit reads some around it as well.
  [[nodiscard]] std::optional<std::size_t> unit_of_sample(std::size_t /*x*/,
                                                          std::size_t y) const override {
    return std::clamp(y / 2, top(), top() + units() - 1) - top();
  }

  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    const std::optional<SumPlace> place = place_of(byte);
    if (!place) return fmt::format("byte {} of the row sums, between two scales", byte);
    static constexpr const char* kSums[] = {"reference", "restored detail", "impairment"};
    static constexpr const char* kBands[] = {"horizontal", "vertical", "diagonal"};
    return fmt::format("scale {}, row {}, {} sum of the {} band, byte {}", place->scale, place->row,
                       kSums[place->sum / metrics::kAdmBands],
                       kBands[place->sum % metrics::kAdmBands], byte % sizeof(float));
  }

 private:
  struct SumPlace {
    std::size_t scale;
    std::size_t row;  ///< of the summed area
    std::size_t sum;
  };

  [[nodiscard]] std::size_t top() const { return static_cast<std::size_t>(scales_[0].summed.top); }
  [[nodiscard]] std::size_t summed(std::size_t k) const {
    return static_cast<std::size_t>(scales_[k].summed.bottom - scales_[k].summed.top);
  }

  // The first row of a scale that belongs to a unit or to one after it.
  [[nodiscard]] std::size_t first_row(std::size_t k, std::size_t unit) const {
    return unit * summed(k) / units();
  }
  // The unit with that row: the last one whose first row is not after it.
  [[nodiscard]] std::size_t unit_with(std::size_t k, std::size_t row) const {
    return ((row + 1) * units() - 1) / summed(k);
  }

  [[nodiscard]] std::optional<SumPlace> place_of(std::size_t byte) const {
    const std::size_t row = byte / kRowBytes;
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      if (row >= places_.first[k] && row < places_.first[k] + summed(k)) {
        return SumPlace{k, row - places_.first[k], byte % kRowBytes / sizeof(float)};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::span<std::byte> row_bytes(std::span<std::byte> memory, std::size_t k) const {
    return results<std::byte>(memory).subspan(places_.first[k] * kRowBytes, summed(k) * kRowBytes);
  }

  [[nodiscard]] metrics::AdmRowSums row_sums(std::span<std::byte> memory) const {
    auto* const sums = results<AdmSums::Scale>(memory).data();
    metrics::AdmRowSums places;
    for (std::size_t k = 0; k < kAdmScales; ++k) places[k] = {sums + places_.first[k], summed(k)};
    return places;
  }

  void run(metrics::AdmSummer& summer, std::span<std::byte> memory, UnitRange units) const {
    AdmRows rows;
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      const auto row = [&](std::size_t unit) {
        return scales_[k].summed.top + static_cast<int>(first_row(k, unit));
      };
      rows[k] = {row(units.first), row(units.last)};
    }
    CallingThread thread;
    summer.row_sums(luma(memory, Plane::reference), luma(memory, Plane::distorted), rows, thread,
                    row_sums(memory));
  }

  [[nodiscard]] metrics::AdmLuma luma(std::span<std::byte> memory, Plane which) const {
    if (format().pixel.bits == 8) return plane<const std::uint8_t>(memory, which);
    return plane<const std::uint16_t>(memory, which);
  }

  AdmScales scales_;
  qpu::AdmRowPlaces places_;
  mutable Summers<metrics::FloatAdm> scalar_;
  mutable Summers<neon::FloatAdm> neon_;
};

std::unique_ptr<gates::Workload> make_workload(const gates::WorkloadRequest& request) {
  const video::PictureFormat format = luma_format(request, "float_adm");
  return std::make_unique<FloatAdmWorkload>(request, format, metrics::adm_scales(format, {}));
}

}  // namespace

// Unit: a row of the largest scale's bands with its share of the rows of the other scales, and
// what is computed of it: the sums of those rows. A share of the units is computed on its own,
// from the part of the pictures that it takes. Variant `strips`.
std::vector<gates::Kernel> float_adm_kernels() {
  return {{.name = "float_adm",
           .description = "wavelet detail loss and impairment of two luma planes, for float_adm",
           .unit = "row",
           .module = "metrics",
           .variants = {{"strips",
                         {"float_adm_luma", "float_adm_bands", "float_adm_masking",
                          "float_adm_settle", "float_adm_rows", "float_adm_total"}}},
           // Bands of 23, 12, 6 and 3 columns: ends of strips and of vectors at many places.
           .agreement_width = 45,
           .make_workload = make_workload}};
}

}  // namespace sidecore::bench
