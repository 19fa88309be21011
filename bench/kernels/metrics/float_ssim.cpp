#include <algorithm>
#include <memory>

#include "base/error.h"
#include "kernels/metrics/luma_workload.h"
#include "kernels/registry.h"
#include "metrics/ssim.h"
#include "metrics/ssim_scores.h"
#include "neon/metrics/ssim_strip.h"
#include "qpu/metrics/ssim.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::FloatPlane;

constexpr int kWindow = metrics::kSsimWindow;
constexpr std::size_t kMoments = 5;
constexpr auto kBandRows = static_cast<std::size_t>(qpu::Ssim::kBandRows);

int windows_across(const video::PictureFormat& format) {
  return (format.width - kWindow + 1) / 4 * 4;
}

class FloatSsimWorkload : public FloatRowsWorkload {
 public:
  FloatSsimWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format)
      : FloatRowsWorkload(request, format, static_cast<std::size_t>(format.height - kWindow + 1),
                          kMoments * static_cast<std::size_t>(windows_across(format)) *
                              static_cast<std::size_t>(format.height - kWindow + 1) *
                              sizeof(float)),
        columns_(static_cast<std::size_t>(windows_across(format))) {}

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    if (units.first == units.last) return;
    const Samples samples = load_rows(memory, units);
    metrics::Ssim ssim(samples.a.view().width, samples.a.view().height);
    (void)ssim(samples.a.view(), samples.b.view());
    const std::span<float> out = results<float>(memory);
    for (std::size_t row = units.first; row < units.last; ++row) {
      for (std::size_t x = 0; x < columns_; ++x) {
        const metrics::WindowMoments window =
            ssim.moments(static_cast<int>(x), static_cast<int>(row - units.first));
        out[place(0, row) + x] = window.mean_a;
        out[place(1, row) + x] = window.mean_b;
        out[place(2, row) + x] = window.square_a;
        out[place(3, row) + x] = window.square_b;
        out[place(4, row) + x] = window.product;
      }
    }
  }

  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    if (units.first == units.last) return;
    if (format().pixel.bits == 8) {
      const auto rows = [&](Plane plane) {
        return byte_rows(memory, plane, static_cast<int>(units.first), rows_of(units));
      };
      visit_strips(rows(Plane::reference), rows(Plane::distorted), memory, units.first);
    } else {
      const Samples samples = load_rows(memory, units);
      visit_strips(samples.a.view(), samples.b.view(), memory, units.first);
    }
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto plane = [&](Plane which) {
      return qpu::SsimPlane{plane_range(memory, which), stride(), used_width(), format().height,
                            format().pixel.bits};
    };
    qpu::Ssim(device, used_width(), format().height)
        .filter(list, plane(Plane::reference), plane(Plane::distorted), result_range(memory));
  }

 protected:
  [[nodiscard]] std::size_t row_of(std::size_t number) const override {
    const std::size_t band = number / (kMoments * kBandRows * columns_);
    const std::size_t rows = rows_in_band(band);
    const std::size_t in_band = number % (kMoments * kBandRows * columns_);
    return band * kBandRows + in_band / columns_ % rows;
  }

 private:
  struct Samples {
    FloatPlane a, b;
  };

  [[nodiscard]] int used_width() const { return static_cast<int>(columns_) + kWindow - 1; }
  [[nodiscard]] std::size_t rows_in_band(std::size_t band) const {
    return std::min(kBandRows, units() - band * kBandRows);
  }

  /// Returns the start of a row of a moment, in the layout of the device's results.
  [[nodiscard]] std::size_t place(std::size_t moment, std::size_t row) const {
    const std::size_t band = row / kBandRows;
    return (kMoments * band * kBandRows + moment * rows_in_band(band) + row % kBandRows) * columns_;
  }

  [[nodiscard]] Samples load_rows(std::span<std::byte> memory, UnitRange units) const {
    const int first = static_cast<int>(units.first);
    const int rows = rows_of(units);
    const int width = format().width;
    Samples samples{FloatPlane(width, rows), FloatPlane(width, rows)};
    load(memory, Plane::reference, first, samples.a.view());
    load(memory, Plane::distorted, first, samples.b.view());
    return samples;
  }

  /// Returns the number of sample rows that a range of window rows reads.
  [[nodiscard]] static int rows_of(UnitRange units) {
    return static_cast<int>(units.last - units.first) + kWindow - 1;
  }

  /// Writes the moments of planes whose first row is the first row of window row `first_row`.
  template <class Sample>
  void visit_strips(video::PlaneView<const Sample> a, video::PlaneView<const Sample> b,
                    std::span<std::byte> memory, std::size_t first_row) const {
    using neon::SsimStrip;
    const auto strip = std::make_unique<SsimStrip>();
    for (std::size_t left = 0; left < columns_; left += SsimStrip::kColumns) {
      const std::size_t columns = std::min<std::size_t>(SsimStrip::kColumns, columns_ - left);
      for (int first = 0; first < a.height; first += SsimStrip::kRows) {
        strip->advance(a, b, static_cast<int>(left), static_cast<int>(columns), first);
        const int end = std::min(SsimStrip::kRows, a.height - first);
        for (std::size_t x = 0; x < columns; x += 4) {
          const SsimStrip::Moments& moments = strip->next_four();
          for (int r = std::max(0, kWindow - 1 - first); r < end; ++r) {
            const auto row = first_row + static_cast<std::size_t>(first + r - kWindow + 1);
            store_four(moments, static_cast<std::size_t>(r), row, left + x, memory);
          }
        }
      }
    }
  }

  void store_four(const neon::SsimStrip::Moments& moments, std::size_t from, std::size_t row,
                  std::size_t column, std::span<std::byte> memory) const {
    const std::span<float> out = results<float>(memory);
    for (std::size_t moment = 0; moment < kMoments; ++moment) {
      std::ranges::copy(moments[moment][from], out.subspan(place(moment, row) + column).begin());
    }
  }

  std::size_t columns_;
};

std::unique_ptr<gates::Workload> make_float_ssim_workload(const gates::WorkloadRequest& request) {
  const video::PictureFormat format = luma_format(request, "float_ssim");
  (void)metrics::float_ssim_scale(1, format);
  if (windows_across(format) == 0) {
    throw usage_error("float_ssim: the gates need pictures of at least 14 columns, not {}",
                      format.width);
  }
  return std::make_unique<FloatSsimWorkload>(request, format);
}

}  // namespace

// float_ssim: both filter passes of SSIM at scale 1, which are most of its work. The results are
// the five moments of every sample window; all implementations give the same bits. A work unit is
// one row of windows. Columns after the last whole quad of windows are left out. Sums over the
// picture are not results of units; the metric's own tests check them.
std::vector<gates::Kernel> float_ssim_kernels() {
  return {{.name = "float_ssim",
           .description = "moments of all SSIM windows of two luma planes, exact, for float_ssim",
           .unit = "row",
           .module = "metrics",
           .variants = {{"quad", {"ssim_rows", "ssim_columns"}}},
           // At this width a row has two whole quads of windows, and further columns, which the
           // kernel leaves out.
           .agreement_width = 20,
           .make_workload = make_float_ssim_workload}};
}

}  // namespace sidecore::bench
