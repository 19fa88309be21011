#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/metrics/luma_workload.h"
#include "kernels/registry.h"
#include "metrics/float_psnr.h"
#include "metrics/float_psnr.interface.h"
#include "neon/metrics/float_psnr.h"
#include "qpu/metrics/float_psnr.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::SquaredErrorSum;

constexpr int kPsnrRows = static_cast<int>(qpu::shader::kPsnrStripRows);

class FloatPsnrWorkload : public LumaWorkload {
 public:
  FloatPsnrWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format)
      : LumaWorkload(request, format, "strip sums", strips(format) * sizeof(SquaredErrorSum)) {}

  [[nodiscard]] std::size_t units() const override { return strips(format()); }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    sum_strips(memory, units,
               [](auto... arguments) { return metrics::squared_error_sum(arguments...); });
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    sum_strips(memory, units,
               [](auto... arguments) { return neon::squared_error_sum(arguments...); });
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto total = device.create_buffer(sizeof(SquaredErrorSum));
    qpu::FloatPsnr(device, format())
        .record(list, plane_range(memory, Plane::reference), stride(),
                plane_range(memory, Plane::distorted), stride(), result_range(memory),
                {.buffer = total.get()});
  }

 protected:
  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    return byte / sizeof(SquaredErrorSum);
  }
  [[nodiscard]] std::optional<std::size_t> unit_of_sample(std::size_t /*x*/,
                                                          std::size_t y) const override {
    return y / kPsnrRows;
  }
  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    return fmt::format("strip {} (rows from {}), byte {} of its sum", byte / 8,
                       byte / 8 * kPsnrRows, byte % 8);
  }

 private:
  static std::size_t strips(const video::PictureFormat& format) {
    return (static_cast<std::size_t>(format.height) + kPsnrRows - 1) / kPsnrRows;
  }

  // Returns the rows of one strip as a plane view.
  template <class Sample>
  [[nodiscard]] video::PlaneView<const Sample> strip(std::span<std::byte> memory, Plane which,
                                                     std::size_t index) const {
    video::PlaneView<Sample> rows = plane<Sample>(memory, which);
    const int first = static_cast<int>(index) * kPsnrRows;
    rows.samples = rows.row(first);
    rows.height = std::min(kPsnrRows, rows.height - first);
    return rows;
  }

  template <class Sum>
  void sum_strips(std::span<std::byte> memory, UnitRange units, Sum sum) const {
    const std::span<std::byte> sums = results<std::byte>(memory);
    for (std::size_t index = units.first; index < units.last; ++index) {
      const SquaredErrorSum value =
          format().pixel.bits == 8
              ? sum(strip<std::uint8_t>(memory, Plane::reference, index),
                    strip<std::uint8_t>(memory, Plane::distorted, index))
              : sum(strip<std::uint16_t>(memory, Plane::reference, index),
                    strip<std::uint16_t>(memory, Plane::distorted, index), format().pixel.bits);
      for (std::size_t byte = 0; byte < sizeof value; ++byte) {
        sums[index * sizeof value + byte] = static_cast<std::byte>((value >> (8 * byte)) & 0xffU);
      }
    }
  }
};

std::unique_ptr<gates::Workload> make_float_psnr_workload(const gates::WorkloadRequest& request) {
  const video::PictureFormat format = luma_format(request, "float_psnr");
  metrics::check_float_psnr_depth(format.pixel.bits);
  return std::make_unique<FloatPsnrWorkload>(request, format);
}

}  // namespace

// float_psnr: squared errors. A work unit is one strip of 16 luma rows; its result is its exact sum
// of squared errors, a 64-bit little-endian word. Threads can divide a picture by strips. The
// picture's total is not a result of a unit; the metric's own tests check it. Synthetic contents
// have 8 bits. Content::input keeps the pictures' depth; without a second picture, the distorted
// one is the picture plus seeded noise.
std::vector<gates::Kernel> float_psnr_kernels() {
  return {{.name = "float_psnr",
           .description = "squared-error sum of two luma planes, exact, for float_psnr",
           .unit = "strip",
           .module = "metrics",
           .variants = {{"vector", {"float_psnr", "float_psnr_total"}}},
           // At this width a row has four full vectors and an incomplete one.
           .agreement_width = 67,
           .make_workload = make_float_psnr_workload}};
}

}  // namespace sidecore::bench
