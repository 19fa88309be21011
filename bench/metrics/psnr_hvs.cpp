#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "bench/guarded_block.h"
#include "bench/metrics/luma_content.h"
#include "bench/registry.h"
#include "metrics/psnr_hvs.h"
#include "neon/metrics/psnr_hvs.h"
#include "qpu/metrics/psnr_hvs.h"

namespace sidecore::bench {
namespace {

using gates::Content;
using gates::UnitRange;
using metrics::kHvsStep;
using metrics::kHvsTerms;
using neon::kHvsRunBlocks;
using neon::kHvsRunTerms;

struct Regions {
  GuardedBlock block;
  std::size_t reference = 0;
  std::size_t distorted = 0;
  std::size_t terms = 0;
};

class PsnrHvsWorkload : public gates::Workload {
 public:
  PsnrHvsWorkload(gates::WorkloadRequest request, const video::PictureFormat& format)
      : request_(std::move(request)),
        format_(format),
        grid_(metrics::hvs_grid(format, 0)),
        columns_(static_cast<std::size_t>(grid_.columns)),
        runs_(neon::hvs_runs(grid_)) {
    const video::PictureLayout::Plane luma = video::PictureLayout(format_).planes[0];
    stride_ = luma.stride;
    regions_.reference = regions_.block.add("reference plane", luma.bytes);
    regions_.distorted = regions_.block.add("distorted plane", luma.bytes);
    regions_.terms = regions_.block.add(
        "terms", static_cast<std::size_t>(grid_.rows) * runs_ * kHvsRunTerms * sizeof(float));
  }

  [[nodiscard]] std::size_t units() const override { return grid_.blocks(); }
  [[nodiscard]] std::size_t bytes() const override { return regions_.block.bytes(); }

  void reset(std::span<std::byte> memory) const override {
    regions_.block.fill_guards(memory);
    clear_terms(memory);
    if (request_.content != Content::input) {
      synthesize(memory);
    } else if (format_.pixel.bits == 8) {
      copy_input<std::uint8_t>(memory);
    } else {
      copy_input<std::uint16_t>(memory);
    }
  }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    const std::span<float> terms = all_terms(memory);
    for (std::size_t unit = units.first; unit < units.last; ++unit) {
      const auto of_block = format_.pixel.bits == 8 ? scalar_terms<std::uint8_t>(memory, unit)
                                                    : scalar_terms<std::uint16_t>(memory, unit);
      for (std::size_t i = 0; i < kHvsTerms; ++i) terms[place(unit, i)] = of_block[i];
    }
  }

  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    if (format_.pixel.bits == 8) {
      run_neon_rows<std::uint8_t>(memory, units);
    } else {
      run_neon_rows<std::uint16_t>(memory, units);
    }
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const auto sum = device.create_buffer(sizeof(float));
    qpu::PsnrHvs(device, format_, qpu::HvsVariant::lanes)
        .record(list, regions_.block.range(memory, regions_.reference),
                regions_.block.range(memory, regions_.distorted),
                regions_.block.range(memory, regions_.terms), {.buffer = sum.get()});
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    const std::optional<std::size_t> region = regions_.block.region_of(byte);
    if (!region) return std::nullopt;
    const std::size_t at = byte - regions_.block.region(*region).offset;
    if (*region == regions_.terms) {
      const std::size_t run = at / sizeof(float) / kHvsRunTerms;
      const std::size_t column = run % runs_ * kHvsRunBlocks + at / sizeof(float) % kHvsRunBlocks;
      if (column >= columns_) return std::nullopt;
      return run / runs_ * columns_ + column;
    }
    // Blocks overlap: the last one that a sample is in, or the nearest.
    const std::size_t x = at % stride_ / format_.pixel.bytes_per_sample();
    const std::size_t row =
        std::min(at / stride_ / kHvsStep, static_cast<std::size_t>(grid_.rows) - 1);
    return row * columns_ + std::min(x / kHvsStep, columns_ - 1);
  }

  [[nodiscard]] std::string describe(std::size_t byte) const override {
    const std::optional<std::size_t> region = regions_.block.region_of(byte);
    if (!region) return regions_.block.describe_guard(byte);
    const std::size_t at = byte - regions_.block.region(*region).offset;
    if (*region != regions_.terms) {
      return fmt::format("{}, row {}, byte {}", regions_.block.region(*region).name, at / stride_,
                         at % stride_);
    }
    const std::optional<std::size_t> unit = unit_of(byte);
    const std::size_t term = at / sizeof(float) % kHvsRunTerms / kHvsRunBlocks;
    if (!unit) return fmt::format("term {} of a lane behind the last column", term);
    return fmt::format("block (x {}, y {}), term {}, byte {}", *unit % columns_ * kHvsStep,
                       *unit / columns_ * kHvsStep, term, at % sizeof(float));
  }

 private:
  [[nodiscard]] std::span<float> all_terms(std::span<std::byte> memory) const {
    const std::span<std::byte> part = regions_.block.part(memory, regions_.terms);
    return {reinterpret_cast<float*>(part.data()), part.size() / sizeof(float)};
  }

  // Where a term of a block lies among all terms.
  [[nodiscard]] std::size_t place(std::size_t unit, std::size_t term) const {
    const std::size_t column = unit % columns_;
    const std::size_t run = unit / columns_ * runs_ + column / kHvsRunBlocks;
    return run * kHvsRunTerms + term * kHvsRunBlocks + column % kHvsRunBlocks;
  }

  // A stale term from an earlier run must not pass for a fresh one. Lanes without a block hold 0.
  void clear_terms(std::span<std::byte> memory) const {
    std::ranges::fill(regions_.block.part(memory, regions_.terms), std::byte{0});
    const std::span<float> terms = all_terms(memory);
    for (std::size_t unit = 0; unit < units(); ++unit) {
      for (std::size_t i = 0; i < kHvsTerms; ++i) terms[place(unit, i)] = -1;
    }
  }

  template <class Sample>
  [[nodiscard]] video::PlaneView<Sample> plane(std::span<std::byte> memory,
                                               std::size_t region) const {
    return {reinterpret_cast<Sample*>(regions_.block.part(memory, region).data()), format_.width,
            format_.height, static_cast<std::ptrdiff_t>(stride_ / sizeof(Sample))};
  }

  template <class Sample>
  [[nodiscard]] std::array<float, kHvsTerms> scalar_terms(std::span<std::byte> memory,
                                                          std::size_t unit) const {
    const auto x = static_cast<int>(unit % columns_) * kHvsStep;
    const auto y = static_cast<int>(unit / columns_) * kHvsStep;
    const video::PlaneView<const Sample> reference = plane<Sample>(memory, regions_.reference);
    const video::PlaneView<const Sample> distorted = plane<Sample>(memory, regions_.distorted);
    return metrics::hvs_block_terms(reference, distorted, 0, x, y);
  }

  template <class Sample>
  void run_neon_rows(std::span<std::byte> memory, UnitRange units) const {
    const neon::HvsPlanes<Sample> planes{plane<Sample>(memory, regions_.reference),
                                         plane<Sample>(memory, regions_.distorted), 0, grid_};
    const std::span<float> terms = all_terms(memory);
    const std::size_t row_terms = runs_ * kHvsRunTerms;
    for (std::size_t unit = units.first; unit < units.last;) {
      const std::size_t row = unit / columns_;
      const std::size_t end = std::min(units.last, (row + 1) * columns_);
      const std::span<float> of_row = terms.subspan(row * row_terms, row_terms);
      if (end - unit == columns_) {
        neon::hvs_row_terms(planes, static_cast<int>(row), of_row);
      } else {
        // A share that ends within a row: the other blocks of the row are somebody else's.
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

  void synthesize(std::span<std::byte> memory) const {
    Random random(request_.seed);
    const auto reference = plane<std::uint8_t>(memory, regions_.reference);
    const auto distorted = plane<std::uint8_t>(memory, regions_.distorted);
    const auto width = static_cast<std::size_t>(format_.width);
    for (int y = 0; y < format_.height; ++y) {
      fill_rows(request_.content, y, {reference.row(y), width}, {distorted.row(y), width}, random);
    }
  }

  template <class Sample>
  void copy_input(std::span<std::byte> memory) const {
    const auto reference = plane<Sample>(memory, regions_.reference);
    const auto distorted = plane<Sample>(memory, regions_.distorted);
    const auto from = std::as_const(*request_.picture).template plane<Sample>(0);
    Random random(request_.seed);
    for (int y = 0; y < format_.height; ++y) {
      std::copy_n(from.row(y), format_.width, reference.row(y));
      if (request_.other) {
        std::copy_n(std::as_const(*request_.other).template plane<Sample>(0).row(y), format_.width,
                    distorted.row(y));
      } else {
        std::transform(from.row(y), from.row(y) + format_.width, distorted.row(y), [&](Sample s) {
          return static_cast<Sample>(distort(s, format_.pixel.max_value(), random));
        });
      }
    }
  }

  gates::WorkloadRequest request_;
  video::PictureFormat format_;
  metrics::HvsGrid grid_;
  std::size_t columns_;  ///< blocks in a row
  std::size_t runs_;     ///< runs in a row
  std::size_t stride_ = 0;
  Regions regions_;
};

std::unique_ptr<gates::Workload> make_workload(const gates::WorkloadRequest& request) {
  video::PictureFormat format{request.width, request.height, {video::Chroma::c444, 8}};
  if (request.content == Content::input) {
    if (!request.picture) throw usage_error("psnr_hvs: input content needs a picture");
    format = request.picture->format();
    if (request.other && !(request.other->format() == format)) {
      throw usage_error("psnr_hvs: reference is {}, distorted is {}", to_string(format),
                        to_string(request.other->format()));
    }
  }
  // Luma only: chroma takes no part.
  format.pixel.chroma = video::Chroma::c444;
  metrics::check_psnr_hvs(format);
  format.pixel.chroma = video::Chroma::c400;
  return std::make_unique<PsnrHvsWorkload>(request, format);
}

}  // namespace

// Unit: a block of luma, whose 64 terms are the result; blocks are 8x8 windows, 7 samples apart.
// The ordered sum of the terms, which no single block owns, is left to the metric's own tests; the
// QPU's time contains it, NEON's does not. Synthetic contents are 8-bit; Content::input takes the
// pictures' depth, and a distorted picture made by adding seeded noise when the request has no
// other picture.
std::vector<gates::Kernel> psnr_hvs_kernels() {
  return {{.name = "psnr_hvs",
           .description = "weighted and masked DCT errors of two luma planes, for psnr_hvs",
           .unit = "block",
           .module = "metrics",
           // HvsVariant::block is not for GPUs, so that no gate has a question about it.
           .variants = {{"lanes",
                         {"psnr_hvs_texture", "psnr_hvs_terms", "psnr_hvs_binades",
                          "psnr_hvs_steps", "psnr_hvs_sum"}}},
           .make_workload = make_workload}};
}

}  // namespace sidecore::bench
