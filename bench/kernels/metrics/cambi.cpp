#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "kernels/metrics/luma_workload.h"
#include "kernels/registry.h"
#include "metrics/cambi.h"
#include "neon/metrics/cambi.h"
#include "qpu/metrics/cambi.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::CambiContrasts;
using metrics::CambiSetup;
using metrics::CambiSize;
using metrics::kCambiScales;

metrics::FeatureOptions default_options() {
  return metrics::parse_feature_request("cambi").options;
}

class CambiWorkload : public LumaWorkload {
 public:
  CambiWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format,
                const CambiSetup& setup)
      : LumaWorkload(request, format, "contrasts",
                     metrics::cambi_contrast_count(setup) * sizeof(float)),
        setup_(setup),
        sizes_(metrics::cambi_sizes(setup)) {}

  [[nodiscard]] std::size_t units() const override { return rows(0); }
  // Returns true, because a row's windows are updated from the previous row, and a scale's samples
  // come from the previous scale.
  [[nodiscard]] bool ordered() const override { return true; }

  void run_scalar(std::span<std::byte> memory, UnitRange /*all*/) const override {
    CallingThread thread;
    run(metrics::cambi_rows(), memory, thread);
  }
  void run_neon(std::span<std::byte> memory, UnitRange /*all*/) const override {
    CallingThread thread;
    run(neon::cambi_rows(), memory, thread);
  }
  Nanoseconds run_neon_on(ThreadTeam& team, std::span<std::byte> memory) const override {
    const Clock::time_point start = Clock::now();
    run(neon::cambi_rows(), memory, team);
    return Clock::now() - start;
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto results = device.create_buffer(qpu::Cambi::kResultBytes);
    qpu::Cambi(device, format(), default_options())
        .record(list, plane_range(memory, Plane::reference), stride(), {.buffer = results.get()},
                result_range(memory));
  }

 protected:
  void clear_results(std::span<std::byte> memory) const override {
    std::ranges::fill(results<std::byte>(memory), std::byte{0xff});
  }
  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    const auto [scale, row, column] = place_of(byte);
    return ((row + 1) * units() - 1) / rows(scale);
  }
  [[nodiscard]] std::optional<std::size_t> unit_of_sample(std::size_t /*x*/,
                                                          std::size_t y) const override {
    return y;
  }
  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    const auto [scale, row, column] = place_of(byte);
    return fmt::format("scale {}, contrast of x {}, y {}, byte {}", scale, column, row,
                       byte % sizeof(float));
  }

 private:
  struct ContrastPlace {
    std::size_t scale;
    std::size_t row;
    std::size_t column;
  };

  [[nodiscard]] std::size_t rows(std::size_t scale) const {
    return static_cast<std::size_t>(sizes_[scale].height);
  }

  [[nodiscard]] ContrastPlace place_of(std::size_t byte) const {
    std::size_t number = byte / sizeof(float);
    std::size_t scale = 0;
    while (number >= sizes_[scale].samples()) number -= sizes_[scale++].samples();
    const auto width = static_cast<std::size_t>(sizes_[scale].width);
    return {scale, number / width, number % width};
  }

  /// An implementation with its own memory. It is reused, and no two threads use it at the same
  /// time.
  struct Finder {
    const metrics::CambiRowFunctions* rows;
    std::size_t threads;
    std::unique_ptr<CambiContrasts> contrasts;
  };
  Finder take(const metrics::CambiRowFunctions& rows, std::size_t threads) const {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(idle_, [&](const Finder& finder) {
      return finder.rows == &rows && finder.threads == threads;
    });
    if (found == idle_.end()) {
      return {&rows, threads, metrics::make_cambi_contrasts(format(), setup_, threads, rows)};
    }
    Finder finder = std::move(*found);
    idle_.erase(found);
    return finder;
  }

  void run(const metrics::CambiRowFunctions& rows, std::span<std::byte> memory,
           ThreadTeam& team) const {
    Finder finder = take(rows, team.threads());
    finder.contrasts->find(luma(memory), team, results<float>(memory));
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(finder));
  }

  [[nodiscard]] metrics::CambiLuma luma(std::span<std::byte> memory) const {
    if (format().pixel.bits == 8) return plane<const std::uint8_t>(memory, Plane::reference);
    return plane<const std::uint16_t>(memory, Plane::reference);
  }

  CambiSetup setup_;
  std::array<CambiSize, kCambiScales> sizes_;
  mutable std::mutex mutex_;
  mutable std::vector<Finder> idle_;
};

std::unique_ptr<gates::Workload> make_cambi_workload(const gates::WorkloadRequest& request) {
  const video::PictureFormat format = luma_format(request, "cambi");
  const metrics::FeatureRequest feature = metrics::parse_feature_request("cambi");
  feature.check(format);
  return std::make_unique<CambiWorkload>(request, format,
                                         metrics::cambi_setup(format, feature.options));
}

}  // namespace

// cambi: contrasts of a few steps. A work unit is one row of the picture and the rows of the other
// scales that belong to it, with their contrasts as result. The picture is the reference plane,
// whose synthetic contents are the smoother ones. Rows depend on earlier rows, so one call computes
// a whole picture, on several threads like the feature. QPU variant: `columns`.
std::vector<gates::Kernel> cambi_kernels() {
  return {{.name = "cambi",
           .description = "contrasts of a few steps in a luma plane, for cambi",
           .unit = "row",
           .module = "metrics",
           .variants = {{"columns",
                         {"cambi_luma", "cambi_mask", "cambi_scale", "cambi_contrasts",
                          "cambi_select"}}},
           // At this width a row has four tiles, of which the last is incomplete.
           .agreement_width = 229,
           .make_workload = make_cambi_workload}};
}

}  // namespace sidecore::bench
