#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/metrics/luma_workload.h"
#include "kernels/registry.h"
#include "metrics/psnr_hvs.h"
#include "neon/metrics/psnr_hvs.h"
#include "qpu/metrics/psnr_hvs.h"

namespace sidecore::bench {
namespace {

using gates::UnitRange;
using metrics::kHvsStep;
using metrics::kHvsTerms;
using neon::kHvsRunBlocks;
using neon::kHvsRunTerms;

class PsnrHvsWorkload : public LumaWorkload {
 public:
  PsnrHvsWorkload(const gates::WorkloadRequest& request, const video::PictureFormat& format,
                  const metrics::HvsGrid& grid)
      : LumaWorkload(request, format, "terms",
                     static_cast<std::size_t>(grid.rows) * neon::hvs_runs(grid) * kHvsRunTerms *
                         sizeof(float)),
        grid_(grid),
        columns_(static_cast<std::size_t>(grid.columns)),
        runs_(neon::hvs_runs(grid)) {}

  [[nodiscard]] std::size_t units() const override { return grid_.blocks(); }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    const std::span<float> terms = results<float>(memory);
    for (std::size_t unit = units.first; unit < units.last; ++unit) {
      const auto of_block = format().pixel.bits == 8 ? scalar_terms<std::uint8_t>(memory, unit)
                                                     : scalar_terms<std::uint16_t>(memory, unit);
      for (std::size_t i = 0; i < kHvsTerms; ++i) terms[place(unit, i)] = of_block[i];
    }
  }

  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    if (format().pixel.bits == 8) {
      run_neon_rows<std::uint8_t>(memory, units);
    } else {
      run_neon_rows<std::uint16_t>(memory, units);
    }
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto sum = device.create_buffer(sizeof(float));
    qpu::PsnrHvs(device, format(), qpu::HvsVariant::lanes)
        .record(list, plane_range(memory, Plane::reference), plane_range(memory, Plane::distorted),
                result_range(memory), {.buffer = sum.get()});
  }

 protected:
  // Sets the results of lanes without a block to 0.
  void clear_results(std::span<std::byte> memory) const override {
    const std::span<float> terms = results<float>(memory);
    std::ranges::fill(terms, 0.0F);
    for (std::size_t unit = 0; unit < units(); ++unit) {
      for (std::size_t i = 0; i < kHvsTerms; ++i) terms[place(unit, i)] = -1;
    }
  }

  [[nodiscard]] std::optional<std::size_t> unit_of_result(std::size_t byte) const override {
    const std::size_t run = byte / sizeof(float) / kHvsRunTerms;
    const std::size_t column = run % runs_ * kHvsRunBlocks + byte / sizeof(float) % kHvsRunBlocks;
    if (column >= columns_) return std::nullopt;
    return run / runs_ * columns_ + column;
  }
  // Returns the last block that contains the sample, or the nearest block. Blocks overlap.
  [[nodiscard]] std::optional<std::size_t> unit_of_sample(std::size_t x,
                                                          std::size_t y) const override {
    const std::size_t row = std::min(y / kHvsStep, static_cast<std::size_t>(grid_.rows) - 1);
    return row * columns_ + std::min(x / kHvsStep, columns_ - 1);
  }

  [[nodiscard]] std::string describe_result(std::size_t byte) const override {
    const std::optional<std::size_t> unit = unit_of_result(byte);
    const std::size_t term = byte / sizeof(float) % kHvsRunTerms / kHvsRunBlocks;
    if (!unit) return fmt::format("term {} of a lane after the last column", term);
    return fmt::format("block (x {}, y {}), term {}, byte {}", *unit % columns_ * kHvsStep,
                       *unit / columns_ * kHvsStep, term, byte % sizeof(float));
  }

 private:
  // Returns the index of a block's term among all terms.
  [[nodiscard]] std::size_t place(std::size_t unit, std::size_t term) const {
    const std::size_t column = unit % columns_;
    const std::size_t run = unit / columns_ * runs_ + column / kHvsRunBlocks;
    return run * kHvsRunTerms + term * kHvsRunBlocks + column % kHvsRunBlocks;
  }

  template <class Sample>
  [[nodiscard]] std::array<float, kHvsTerms> scalar_terms(std::span<std::byte> memory,
                                                          std::size_t unit) const {
    const auto x = static_cast<int>(unit % columns_) * kHvsStep;
    const auto y = static_cast<int>(unit / columns_) * kHvsStep;
    const video::PlaneView<const Sample> reference = plane<Sample>(memory, Plane::reference);
    const video::PlaneView<const Sample> distorted = plane<Sample>(memory, Plane::distorted);
    return metrics::hvs_block_terms(reference, distorted, 0, x, y);
  }

  template <class Sample>
  void run_neon_rows(std::span<std::byte> memory, UnitRange units) const {
    const neon::HvsPlanes<Sample> planes{plane<Sample>(memory, Plane::reference),
                                         plane<Sample>(memory, Plane::distorted), 0, grid_};
    const std::span<float> terms = results<float>(memory);
    const std::size_t row_terms = runs_ * kHvsRunTerms;
    for (std::size_t unit = units.first; unit < units.last;) {
      const std::size_t row = unit / columns_;
      const std::size_t end = std::min(units.last, (row + 1) * columns_);
      const std::span<float> of_row = terms.subspan(row * row_terms, row_terms);
      if (end - unit == columns_) {
        neon::hvs_row_terms(planes, static_cast<int>(row), of_row);
      } else {
        // The terms go through a copy, because the range ends inside a row whose other blocks
        // belong to another range.
        std::vector<float> whole(row_terms);
        neon::hvs_row_terms(planes, static_cast<int>(row), whole);
        for (std::size_t mine = unit; mine < end; ++mine) {
          for (std::size_t i = 0; i < kHvsTerms; ++i) {
            of_row[place(mine, i) - row * row_terms] = whole[place(mine, i) - row * row_terms];
          }
        }
      }
      unit = end;
    }
  }

  metrics::HvsGrid grid_;
  std::size_t columns_;  ///< number of blocks in a row
  std::size_t runs_;     ///< number of runs in a row
};

std::unique_ptr<gates::Workload> make_psnr_hvs_workload(const gates::WorkloadRequest& request) {
  video::PictureFormat format = luma_format(request, "psnr_hvs");
  // The format has chroma for this check only, because the metric needs chroma planes.
  format.pixel.chroma = video::Chroma::c444;
  metrics::check_psnr_hvs(format);
  format.pixel.chroma = video::Chroma::c400;
  return std::make_unique<PsnrHvsWorkload>(request, format, metrics::hvs_grid(format, 0));
}

}  // namespace

// psnr_hvs: weighted and masked DCT errors. A work unit is one luma block; its 64 terms are the
// result. Blocks are 8x8 windows, 7 samples apart. The ordered sum of the terms is not a result of
// a unit; the metric's own tests check it. The QPU's time includes that sum; NEON's time does not.
// Synthetic contents have 8 bits. Content::input keeps the pictures' depth; without a second
// picture, the distorted one is the picture plus seeded noise.
std::vector<gates::Kernel> psnr_hvs_kernels() {
  return {{.name = "psnr_hvs",
           .description = "weighted and masked DCT errors of two luma planes, for psnr_hvs",
           .unit = "block",
           .module = "metrics",
           // The gates run only HvsVariant::lanes, because HvsVariant::block is not made for GPUs.
           .variants = {{"lanes",
                         {"psnr_hvs_texture", "psnr_hvs_terms", "psnr_hvs_binades",
                          "psnr_hvs_steps", "psnr_hvs_sum"}}},
           .make_workload = make_psnr_hvs_workload}};
}

}  // namespace sidecore::bench
