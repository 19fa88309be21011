#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/thread_team.h"
#include "kernels/metrics/luma_workload.h"
#include "kernels/registry.h"
#include "metrics/decimation.h"
#include "metrics/ssim.h"
#include "neon/metrics/ssim_decimation.h"
#include "qpu/metrics/ssim.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::ConstFloatView;
using metrics::FloatPlane;
using metrics::FloatView;

/// Number of rows of samples that a row of results needs above and below its own two rows.
constexpr int kTapsPerSide = metrics::kHalvingTaps / 2;

int half(int size) {
  return metrics::decimated_size(size, 2);
}

/// Returns the number of floats that a plane's results occupy, rounded up so that the next plane's
/// results begin at an offset at which a shader can bind a buffer.
std::size_t plane_floats(const video::PictureFormat& format) {
  const auto results =
      static_cast<std::size_t>(half(format.width)) * static_cast<std::size_t>(half(format.height));
  return (results + 63) / 64 * 64;
}

class FloatMsSsimWorkload : public FloatRowsWorkload {
 public:
  FloatMsSsimWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format)
      : FloatRowsWorkload(request, format, static_cast<std::size_t>(half(format.height)),
                          2 * plane_floats(format) * sizeof(float)) {}

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    run(memory, units, [](ConstFloatView from, FloatView to) { metrics::halve(from, to); });
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    neon::SsimDecimation decimation(format().width, 1);
    CallingThread thread;
    run(memory, units,
        [&](ConstFloatView from, FloatView to) { decimation.halve(from, to, thread); });
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    qpu::Ssim ssim(device, metrics::kSsimWindow, metrics::kSsimWindow);
    for (const Plane plane : {Plane::reference, Plane::distorted}) {
      const qpu::SsimPlane from{plane_range(memory, plane), stride(), format().width,
                                format().height, format().pixel.bits};
      qpu::BufferRange to = result_range(memory);
      to.size = plane_floats(format()) * sizeof(float);
      to.offset += static_cast<std::size_t>(plane) * to.size;
      const int width = half(format().width);
      ssim.decimate(
          list, from, qpu::Ssim::kHalving,
          {to, static_cast<std::size_t>(width) * sizeof(float), width, half(format().height), 0});
    }
  }

 protected:
  [[nodiscard]] std::size_t row_of(std::size_t number) const override {
    const std::size_t row =
        number % plane_floats(format()) / static_cast<std::size_t>(half(format().width));
    return std::min(row, units() - 1);  // padding counts as part of the last row
  }

 private:
  template <class Halve>
  void run(std::span<std::byte> memory, UnitRange units, Halve halve) const {
    if (units.first == units.last) return;
    const int first = static_cast<int>(units.first);
    const int last = static_cast<int>(units.last);
    // First row of the plane that the units read. At the ends of these rows inside the plane,
    // result rows outside `units` are mirrored wrongly; they are not copied.
    const int top = std::max(0, 2 * first - kTapsPerSide);
    const int bottom = std::min(format().height, 2 * last + kTapsPerSide);
    FloatPlane samples(format().width, bottom - top);
    FloatPlane halved(half(format().width), half(bottom - top));
    for (const Plane plane : {Plane::reference, Plane::distorted}) {
      load(memory, plane, top, samples.view());
      halve(samples.view(), halved.view());
      const std::span<float> out =
          results<float>(memory).subspan(static_cast<std::size_t>(plane) * plane_floats(format()));
      for (int row = first; row < last; ++row) {
        const int width = half(format().width);
        std::copy_n(
            halved.view().row(row - top / 2), width,
            out.subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(width)).begin());
      }
    }
  }
};

std::unique_ptr<gates::Workload> make_float_ms_ssim_workload(
    const gates::WorkloadRequest& request) {
  const video::PictureFormat format = luma_format(request, "float_ms_ssim");
  metrics::check_float_depth("float_ms_ssim", format.pixel.bits);
  constexpr int kSmallest = 2 * metrics::kHalvingTaps;
  if (std::min(format.width, format.height) < kSmallest) {
    throw usage_error("float_ms_ssim: the gates need pictures of at least {}x{}, not {}x{}",
                      kSmallest, kSmallest, format.width, format.height);
  }
  return std::make_unique<FloatMsSsimWorkload>(request, format);
}

}  // namespace

// float_ms_ssim: halves both luma planes for float_ms_ssim's levels, with 9 x 9 taps per result.
// All implementations give the same bits. A work unit is one row of results of both planes. The
// kernel float_ssim covers the further work on the levels.
std::vector<gates::Kernel> float_ms_ssim_kernels() {
  return {{.name = "float_ms_ssim",
           .description = "two luma planes halved for the levels of float_ms_ssim, exact",
           .unit = "row",
           .module = "metrics",
           .variants = {{"sample", {"ssim_halve"}}},
           .agreement_width = 19,
           .make_workload = make_float_ms_ssim_workload}};
}

}  // namespace sidecore::bench
