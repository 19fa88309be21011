#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "bench/guarded_block.h"
#include "bench/metrics/luma_content.h"
#include "bench/registry.h"
#include "metrics/float_adm_sums.h"
#include "neon/metrics/float_adm.h"
#include "qpu/metrics/float_adm.h"

namespace sidecore::bench {
namespace {

using gates::Content;
using gates::UnitRange;
using metrics::AdmRows;
using metrics::AdmScales;
using metrics::AdmSums;
using metrics::kAdmScales;

constexpr std::size_t kRowBytes = sizeof(AdmSums::Scale);

struct Regions {
  GuardedBlock block;
  std::size_t reference = 0;
  std::size_t distorted = 0;
  std::size_t sums = 0;
};

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

class FloatAdmWorkload : public gates::Workload {
 public:
  FloatAdmWorkload(gates::WorkloadRequest request, const video::PictureFormat& format)
      : request_(std::move(request)),
        format_(format),
        scales_(metrics::adm_scales(format, {})),
        places_(qpu::adm_row_places(scales_)) {
    const std::size_t picture_bytes = video::PictureLayout(format_).bytes;
    regions_.reference = regions_.block.add("reference plane", picture_bytes);
    regions_.distorted = regions_.block.add("distorted plane", picture_bytes);
    regions_.sums = regions_.block.add("row sums", places_.rows * kRowBytes);
  }

  [[nodiscard]] std::size_t units() const override { return summed(0); }
  [[nodiscard]] std::size_t bytes() const override { return regions_.block.bytes(); }

  void reset(std::span<std::byte> memory) const override {
    regions_.block.fill_guards(memory);
    // A stale sum from an earlier run must not pass for a fresh one.
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      std::ranges::fill(row_bytes(memory, k), std::byte{0xff});
    }
    if (request_.content != Content::input) {
      synthesize(memory);
    } else if (format_.pixel.bits == 8) {
      copy_input<std::uint8_t>(memory);
    } else {
      copy_input<std::uint16_t>(memory);
    }
  }

  void run_scalar(std::span<std::byte> memory, UnitRange units) const override {
    scalar_.use(format_, [&](metrics::AdmSummer& summer) { run(summer, memory, units); });
  }
  void run_neon(std::span<std::byte> memory, UnitRange units) const override {
    neon_.use(format_, [&](metrics::AdmSummer& summer) { run(summer, memory, units); });
  }

  void record_units(qpu::Device& device, qpu::CommandList& list, qpu::Buffer& memory,
                    std::string_view /*variant*/) const override {
    const std::size_t stride = video::PictureLayout(format_).planes[0].stride;
    const auto totals = device.create_buffer(qpu::FloatAdm::kResultBytes);
    qpu::FloatAdm(device, format_, {})
        .record(list, regions_.block.range(memory, regions_.reference), stride,
                regions_.block.range(memory, regions_.distorted), stride,
                regions_.block.range(memory, regions_.sums), {.buffer = totals.get()});
  }

  [[nodiscard]] std::optional<std::size_t> unit_of(std::size_t byte) const override {
    const std::optional<std::size_t> region = regions_.block.region_of(byte);
    if (!region) return std::nullopt;
    const std::size_t at = byte - regions_.block.region(*region).offset;
    if (*region != regions_.sums) {
      // The row of samples that comes closest, though a unit reads some around it as well.
      const std::size_t row = at / stride() / 2;
      return std::clamp(row, top(), top() + units() - 1) - top();
    }
    const std::optional<SumPlace> place = place_of(at);
    if (!place) return std::nullopt;
    return unit_with(place->scale, place->row);
  }

  [[nodiscard]] std::string describe(std::size_t byte) const override {
    const std::optional<std::size_t> region = regions_.block.region_of(byte);
    if (!region) return regions_.block.describe_guard(byte);
    const std::size_t at = byte - regions_.block.region(*region).offset;
    if (*region != regions_.sums) {
      return fmt::format("{}, row {}, byte {}", regions_.block.region(*region).name, at / stride(),
                         at % stride());
    }
    const std::optional<SumPlace> place = place_of(at);
    if (!place) return fmt::format("byte {} of the row sums, between two scales", at);
    static constexpr const char* kSums[] = {"reference", "restored detail", "impairment"};
    static constexpr const char* kBands[] = {"horizontal", "vertical", "diagonal"};
    return fmt::format("scale {}, row {}, {} sum of the {} band, byte {}", place->scale, place->row,
                       kSums[place->sum / metrics::kAdmBands],
                       kBands[place->sum % metrics::kAdmBands], at % sizeof(float));
  }

 private:
  struct SumPlace {
    std::size_t scale;
    std::size_t row;  ///< of the summed area
    std::size_t sum;
  };

  [[nodiscard]] std::size_t stride() const {
    return video::PictureLayout(format_).planes[0].stride;
  }
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
    return regions_.block.part(memory, regions_.sums)
        .subspan(places_.first[k] * kRowBytes, summed(k) * kRowBytes);
  }

  [[nodiscard]] metrics::AdmRowSums row_sums(std::span<std::byte> memory) const {
    auto* const sums =
        reinterpret_cast<AdmSums::Scale*>(regions_.block.part(memory, regions_.sums).data());
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
    summer.row_sums(luma(memory, regions_.reference), luma(memory, regions_.distorted), rows,
                    thread, row_sums(memory));
  }

  template <class Sample>
  [[nodiscard]] video::PlaneView<Sample> plane(std::span<std::byte> memory,
                                               std::size_t region) const {
    return {reinterpret_cast<Sample*>(regions_.block.part(memory, region).data()), format_.width,
            format_.height, static_cast<std::ptrdiff_t>(stride() / sizeof(Sample))};
  }
  [[nodiscard]] metrics::AdmLuma luma(std::span<std::byte> memory, std::size_t region) const {
    if (format_.pixel.bits == 8) return plane<const std::uint8_t>(memory, region);
    return plane<const std::uint16_t>(memory, region);
  }

  void synthesize(std::span<std::byte> memory) const {
    Random random(request_.seed);
    const auto from = plane<std::uint8_t>(memory, regions_.reference);
    const auto to = plane<std::uint8_t>(memory, regions_.distorted);
    const auto width = static_cast<std::size_t>(format_.width);
    for (int y = 0; y < format_.height; ++y) {
      fill_rows(request_.content, y, {from.row(y), width}, {to.row(y), width}, random);
    }
  }

  template <class Sample>
  void copy_input(std::span<std::byte> memory) const {
    const auto to = plane<Sample>(memory, regions_.reference);
    const auto other_to = plane<Sample>(memory, regions_.distorted);
    const auto from = std::as_const(*request_.picture).template plane<Sample>(0);
    Random random(request_.seed);
    for (int y = 0; y < format_.height; ++y) {
      std::copy_n(from.row(y), format_.width, to.row(y));
      if (request_.other) {
        std::copy_n(std::as_const(*request_.other).template plane<Sample>(0).row(y), format_.width,
                    other_to.row(y));
      } else {
        std::transform(from.row(y), from.row(y) + format_.width, other_to.row(y), [&](Sample s) {
          return static_cast<Sample>(distort(s, format_.pixel.max_value(), random));
        });
      }
    }
  }

  gates::WorkloadRequest request_;
  video::PictureFormat format_;
  AdmScales scales_;
  qpu::AdmRowPlaces places_;
  Regions regions_;
  mutable Summers<metrics::FloatAdm> scalar_;
  mutable Summers<neon::FloatAdm> neon_;
};

std::unique_ptr<gates::Workload> make_workload(const gates::WorkloadRequest& request) {
  // Luma only: chroma takes no part.
  video::PictureFormat format{request.width, request.height, {video::Chroma::c400, 8}};
  if (request.content == Content::input) {
    if (!request.picture) throw usage_error("float_adm: input content needs a picture");
    format = request.picture->format();
    if (request.other && !(request.other->format() == format)) {
      throw usage_error("float_adm: reference is {}, distorted is {}", to_string(format),
                        to_string(request.other->format()));
    }
  }
  video::check_format(format);
  metrics::check_float_adm_format(format);
  format.pixel.chroma = video::Chroma::c400;
  return std::make_unique<FloatAdmWorkload>(request, format);
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
