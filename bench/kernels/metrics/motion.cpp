#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/metrics/luma_workload.h"
#include "kernels/registry.h"
#include "metrics/motion.h"
#include "metrics/motion.interface.h"
#include "neon/metrics/motion.h"
#include "qpu/metrics/motion.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;

constexpr int kMotionRows = static_cast<int>(qpu::shader::kMotionStripRows);

class MotionWorkload : public LumaWorkload {
 public:
  MotionWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format)
      : LumaWorkload(request, format, "strip sums", strips(format) * sizeof(std::uint64_t)) {}

  [[nodiscard]] std::size_t units() const override { return strips(format()); }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    metrics::MotionRow row(format().width);
    const int bits = format().pixel.bits;
    sum_strips(
        memory, units,
        [&](video::PlaneView<const std::uint8_t> previous,
            video::PlaneView<const std::uint8_t> current, int first,
            int last) { return metrics::motion_sad(previous, current, first, last, row); },
        [&](video::PlaneView<const std::uint16_t> previous,
            video::PlaneView<const std::uint16_t> current, int first,
            int last) { return metrics::motion_sad(previous, current, bits, first, last, row); });
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    neon::MotionSad sad(format().width, format().pixel.bits);
    const auto sum = [&](auto previous, auto current, int first, int last) {
      return sad.sum(previous, current, first, last);
    };
    sum_strips(memory, units, sum, sum);
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto total = device.create_buffer(sizeof(std::uint64_t));
    qpu::Motion(device, format())
        .record(list, plane_range(memory, Plane::reference), plane_range(memory, Plane::distorted),
                stride(), result_range(memory), {.buffer = total.get()});
  }

 protected:
  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    return byte / sizeof(std::uint64_t);
  }
  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    return fmt::format("strip {} (rows from {}), byte {} of its sum", byte / 8,
                       byte / 8 * kMotionRows, byte % 8);
  }

 private:
  static std::size_t strips(const video::PictureFormat& format) {
    return (static_cast<std::size_t>(format.height) + kMotionRows - 1) / kMotionRows;
  }

  template <class Sample, class Sum>
  [[nodiscard]] std::uint64_t sum_of(std::span<std::byte> memory, std::size_t strip,
                                     const Sum& sum) const {
    const int first = static_cast<int>(strip) * kMotionRows;
    return sum(video::PlaneView<const Sample>(plane<Sample>(memory, Plane::reference)),
               video::PlaneView<const Sample>(plane<Sample>(memory, Plane::distorted)), first,
               std::min(first + kMotionRows, format().height));
  }

  template <class SumBytes, class SumWords>
  void sum_strips(std::span<std::byte> memory, UnitRange units, const SumBytes& sum_bytes,
                  const SumWords& sum_words) const {
    const std::span<std::byte> sums = results<std::byte>(memory);
    for (std::size_t strip = units.first; strip < units.last; ++strip) {
      const std::uint64_t value = format().pixel.bits == 8
                                      ? sum_of<std::uint8_t>(memory, strip, sum_bytes)
                                      : sum_of<std::uint16_t>(memory, strip, sum_words);
      for (std::size_t byte = 0; byte < sizeof value; ++byte) {
        sums[strip * sizeof value + byte] = static_cast<std::byte>((value >> (8 * byte)) & 0xffU);
      }
    }
  }
};

std::unique_ptr<gates::Workload> make_motion_workload(const gates::WorkloadRequest& request) {
  const video::PictureFormat format = luma_format(request, "motion");
  metrics::check_motion_format(format);
  return std::make_unique<MotionWorkload>(request, format);
}

}  // namespace

// motion: blurred differences of two pictures. A work unit is one strip of 16 luma rows; its result
// is the sum of the blurred differences, a 64-bit little-endian word. The reference plane is the
// earlier picture, the distorted plane the later one. A strip also reads two rows above and below
// it. Bit depths are the same as for float_psnr.
std::vector<gates::Kernel> motion_kernels() {
  return {{.name = "motion",
           .description = "change of blurred luma from one picture to the next, summed, for motion",
           .unit = "strip",
           .module = "metrics",
           .variants = {{"columns", {"motion", "float_psnr_total"}}},
           // At this width a row has several groups of 16 columns and an incomplete one.
           .agreement_width = 67,
           .make_workload = make_motion_workload}};
}

}  // namespace sidecore::bench
