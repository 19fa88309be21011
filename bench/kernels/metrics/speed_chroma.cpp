#include <fmt/format.h>

#include <utility>

#include "kernels/metrics/luma_workload.h"
#include "kernels/registry.h"
#include "metrics/speed_chroma.h"
#include "neon/metrics/speed_chroma.h"
#include "qpu/metrics/speed_chroma.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::SpeedReduction;

class SpeedChromaWorkload : public LumaWorkload {
 public:
  SpeedChromaWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format,
                      std::shared_ptr<const SpeedReduction> reduction)
      : LumaWorkload(request, format, "reduced planes", 2 * plane_bytes(*reduction)),
        reduction_(std::move(reduction)) {}

  [[nodiscard]] std::size_t units() const override {
    return 2 * static_cast<std::size_t>(reduction_->reduced().height);
  }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    reduce(memory, units, metrics::speed_chroma_sums().filter);
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    reduce(memory, units, neon::speed_chroma_sums().filter);
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const qpu::BufferRange planes[] = {plane_range(memory, Plane::reference),
                                       plane_range(memory, Plane::distorted)};
    qpu::SpeedChroma(device, *reduction_).record(list, planes, stride(), result_range(memory));
  }

 protected:
  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    return byte / row_bytes(*reduction_);
  }
  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    const std::size_t rows = units() / 2;
    const std::size_t unit = byte / row_bytes(*reduction_);
    const std::size_t number = byte % row_bytes(*reduction_) / sizeof(float);
    return fmt::format("{} plane, reduced row {}, sample {}, byte {}",
                       unit < rows ? "reference" : "distorted", unit % rows, number,
                       byte % sizeof(float));
  }

 private:
  static std::size_t row_bytes(const SpeedReduction& reduction) {
    return static_cast<std::size_t>(reduction.reduced().width) * sizeof(float);
  }
  static std::size_t plane_bytes(const SpeedReduction& reduction) {
    return static_cast<std::size_t>(reduction.reduced().height) * row_bytes(reduction);
  }

  void reduce(std::span<std::byte> memory, UnitRange units, metrics::SpeedRowFilter filter) const {
    metrics::SpeedReducer reducer(*reduction_, filter);
    const std::size_t rows = this->units() / 2;
    const auto width = static_cast<std::size_t>(reduction_->reduced().width);
    for (std::size_t unit = units.first; unit < units.last; ++unit) {
      const Plane which = unit < rows ? Plane::reference : Plane::distorted;
      const auto y = static_cast<int>(unit % rows);
      float* const to = results<float>(memory).subspan(unit * width, width).data();
      if (format().pixel.bits == 8) {
        reducer.reduce_row(video::PlaneView<const std::uint8_t>(plane<std::uint8_t>(memory, which)),
                           y, to);
      } else {
        reducer.reduce_row(
            video::PlaneView<const std::uint16_t>(plane<std::uint16_t>(memory, which)), y, to);
      }
    }
  }

  std::shared_ptr<const SpeedReduction> reduction_;
};

/// Scale factor of the kernel with scaling: half, as for a display of 2160 lines.
constexpr double kScaled = 0.5;

template <bool scaled>
std::unique_ptr<gates::Workload> make_speed_chroma_workload(const gates::WorkloadRequest& request) {
  const video::PictureFormat format =
      luma_format(request, scaled ? "speed_chroma_scaled" : "speed_chroma");
  auto reduction = std::make_shared<const SpeedReduction>(
      metrics::SpeedSize{format.width, format.height}, format.pixel.bits, scaled ? kScaled : 1);
  return std::make_unique<SpeedChromaWorkload>(request, format, std::move(reduction));
}

}  // namespace

// speed_chroma: filters and reduces two planes. A work unit is one row of a reduced plane, which
// needs nine rows of the plane. The planes are the same chroma plane of both pictures; the
// reference's rows come first, then the distorted rows. Bit depths are the same as for float_psnr.
std::vector<gates::Kernel> speed_chroma_kernels() {
  return {{.name = "speed_chroma",
           .description = "planes filtered and reduced to 1/16, for speed_chroma",
           .unit = "row",
           .module = "metrics",
           .variants = {{"columns", {"speed_chroma"}}},
           // At this width a reduced row takes three workgroups, and the plane has columns that no
           // filter reads.
           .agreement_width = 16 * 37 + 5,
           .make_workload = make_speed_chroma_workload<false>},
          {.name = "speed_chroma_scaled",
           .description = "planes scaled by 0.5, filtered and reduced to 1/16, for speed_chroma",
           .unit = "row",
           .module = "metrics",
           .variants = {{"columns", {"speed_chroma_scaled"}}},
           .agreement_width = 2 * 16 * 19 + 5,
           .make_workload = make_speed_chroma_workload<true>}};
}

}  // namespace sidecore::bench
