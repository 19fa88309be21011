#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "bench/guarded_block.h"
#include "bench/metrics/luma_content.h"
#include "bench/registry.h"
#include "metrics/float_psnr.h"
#include "metrics/float_psnr.interface.h"
#include "neon/metrics/float_psnr.h"
#include "qpu/metrics/float_psnr.h"

namespace sidecore::bench {
namespace {

using gates::Content;
using gates::UnitRange;
using metrics::SquaredErrorSum;

constexpr int kStripRows = static_cast<int>(qpu::shader::kPsnrStripRows);

// The three regions of the block.
struct Regions {
  GuardedBlock block;
  std::size_t reference = 0;
  std::size_t distorted = 0;
  std::size_t sums = 0;
};

class FloatPsnrWorkload : public gates::Workload {
 public:
  FloatPsnrWorkload(gates::WorkloadRequest request, const video::PictureFormat& format)
      : request_(std::move(request)), format_(format) {
    const video::PictureLayout layout(format_);
    stride_ = layout.planes[0].stride;
    strips_ = (static_cast<std::size_t>(format_.height) + kStripRows - 1) / kStripRows;
    regions_.reference = regions_.block.add("reference plane", layout.planes[0].bytes);
    regions_.distorted = regions_.block.add("distorted plane", layout.planes[0].bytes);
    regions_.sums = regions_.block.add("strip sums", strips_ * sizeof(SquaredErrorSum));
  }

  [[nodiscard]] std::size_t units() const override { return strips_; }
  [[nodiscard]] std::size_t bytes() const override { return regions_.block.bytes(); }

  void reset(std::span<std::byte> memory) const override {
    regions_.block.fill_guards(memory);
    // A stale sum from an earlier run must not pass for a fresh one.
    std::ranges::fill(regions_.block.part(memory, regions_.sums), std::byte{0xff});
    if (request_.content != Content::input) {
      synthesize(memory);
    } else if (format_.pixel.bits == 8) {
      copy_input<std::uint8_t>(memory);
    } else {
      copy_input<std::uint16_t>(memory);
    }
  }

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
    qpu::FloatPsnr(device, format_)
        .record(list, regions_.block.range(memory, regions_.reference), stride_,
                regions_.block.range(memory, regions_.distorted), stride_,
                regions_.block.range(memory, regions_.sums), {.buffer = total.get()});
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    const std::optional<std::size_t> region = regions_.block.region_of(byte);
    if (!region) return std::nullopt;
    const std::size_t at = byte - regions_.block.region(*region).offset;
    return *region == regions_.sums ? at / sizeof(SquaredErrorSum) : at / stride_ / kStripRows;
  }

  [[nodiscard]] std::string describe(std::size_t byte) const override {
    const std::optional<std::size_t> region = regions_.block.region_of(byte);
    if (!region) return regions_.block.describe_guard(byte);
    const std::size_t at = byte - regions_.block.region(*region).offset;
    if (*region == regions_.sums) {
      return fmt::format("strip {} (rows from {}), byte {} of its sum", at / 8, at / 8 * kStripRows,
                         at % 8);
    }
    return fmt::format("{}, row {}, byte {}", regions_.block.region(*region).name, at / stride_,
                       at % stride_);
  }

 private:
  template <class Sample>
  [[nodiscard]] video::PlaneView<Sample> plane(std::span<std::byte> memory,
                                               std::size_t region) const {
    return {reinterpret_cast<Sample*>(regions_.block.part(memory, region).data()), format_.width,
            format_.height, static_cast<std::ptrdiff_t>(stride_ / sizeof(Sample))};
  }

  // Rows of one strip, a plane of its own.
  template <class Sample>
  [[nodiscard]] video::PlaneView<const Sample> strip(std::span<std::byte> memory,
                                                     std::size_t region, std::size_t index) const {
    video::PlaneView<Sample> rows = plane<Sample>(memory, region);
    const int first = static_cast<int>(index) * kStripRows;
    rows.samples = rows.row(first);
    rows.height = std::min(kStripRows, rows.height - first);
    return rows;
  }

  template <class Sum>
  void sum_strips(std::span<std::byte> memory, UnitRange units, Sum sum) const {
    const std::span<std::byte> sums = regions_.block.part(memory, regions_.sums);
    for (std::size_t index = units.first; index < units.last; ++index) {
      const SquaredErrorSum value =
          format_.pixel.bits == 8
              ? sum(strip<std::uint8_t>(memory, regions_.reference, index),
                    strip<std::uint8_t>(memory, regions_.distorted, index))
              : sum(strip<std::uint16_t>(memory, regions_.reference, index),
                    strip<std::uint16_t>(memory, regions_.distorted, index), format_.pixel.bits);
      for (std::size_t byte = 0; byte < sizeof value; ++byte) {
        sums[index * sizeof value + byte] = static_cast<std::byte>((value >> (8 * byte)) & 0xffU);
      }
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
  std::size_t stride_ = 0;
  std::size_t strips_ = 0;
  Regions regions_;
};

std::unique_ptr<gates::Workload> make_workload(const gates::WorkloadRequest& request) {
  // Luma only: chroma takes no part.
  video::PictureFormat format{request.width, request.height, {video::Chroma::c400, 8}};
  if (request.content == Content::input) {
    if (!request.picture) throw usage_error("float_psnr: input content needs a picture");
    format = request.picture->format();
    if (request.other && !(request.other->format() == format)) {
      throw usage_error("float_psnr: reference is {}, distorted is {}", to_string(format),
                        to_string(request.other->format()));
    }
  }
  video::check_format(format);
  metrics::check_float_psnr_depth(format.pixel.bits);
  format.pixel.chroma = video::Chroma::c400;
  return std::make_unique<FloatPsnrWorkload>(request, format);
}

}  // namespace

// Unit: a strip of 16 luma rows, whose exact squared-error sum is one 64-bit little-endian word. A
// strip's sum belongs to that strip alone, so that threads may share a picture; the picture's
// total, which no single strip owns, is left to the metric's own tests. Synthetic contents are
// 8-bit; Content::input takes the pictures' depth, and a distorted picture made by adding seeded
// noise when the request has no other picture.
std::vector<gates::Kernel> float_psnr_kernels() {
  return {{.name = "float_psnr",
           .description = "squared-error sum of two luma planes, exact, for float_psnr",
           .unit = "strip",
           .module = "metrics",
           .variants = {{"vector", {"float_psnr", "float_psnr_total"}}},
           // Four full vectors and a part of a fifth.
           .agreement_width = 67,
           .make_workload = make_workload}};
}

}  // namespace sidecore::bench
