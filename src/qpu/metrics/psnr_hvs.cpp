#include "qpu/metrics/psnr_hvs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "metrics/families.h"
#include "qpu/metrics/families.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
namespace {

constexpr std::size_t kRunTerms = std::size_t{shader::kHvsTerms} * shader::kHvsRunBlocks;

/// One vector of the tables of psnr_hvs_terms.comp.
struct TableEntry {
  float sensitivity;
  float masking;
  float reciprocal_high;
  float reciprocal_low;
};

std::shared_ptr<Buffer> make_tables(Device& device) {
  auto buffer = device.create_buffer(shader::kHvsPlanes * metrics::kHvsTerms * sizeof(TableEntry));
  const std::span<TableEntry> entries = buffer->as<TableEntry>();
  for (std::size_t plane = 0; plane < shader::kHvsPlanes; ++plane) {
    const metrics::HvsTables& tables = metrics::hvs_tables(static_cast<int>(plane));
    for (std::size_t i = 0; i < metrics::kHvsTerms; ++i) {
      const HvsDivisor divisor = hvs_divisor(tables.masking[i]);
      entries[plane * metrics::kHvsTerms + i] = {tables.sensitivity[i], divisor.value,
                                                 divisor.reciprocal_high, divisor.reciprocal_low};
    }
  }
  return buffer;
}

// Returns a range that covers all planes of a picture, from the first sample on.
BufferRange whole(const DevicePicture& picture) {
  const BufferRange first = picture.plane(0);
  const BufferRange last = picture.plane(2);
  return {first.buffer, first.offset, last.offset + last.size - first.offset};
}

class PsnrHvsWork final : public FeatureWork {
 public:
  PsnrHvsWork(Device& device, const video::PictureFormat& format)
      : format_(format),
        kernel_(device, format, default_hvs_variant(device.info())),
        terms_(device.create_buffer(kernel_.terms_bytes())) {}

  [[nodiscard]] int planes() const override { return shader::kHvsPlanes; }
  [[nodiscard]] std::size_t result_bytes() const override { return sizeof(Sums); }

  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& distorted,
              const BufferRange& results) override {
    kernel_.record(list, whole(reference), whole(distorted), {terms_.get(), 0, 0}, results);
  }

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    Sums sums{};
    std::memcpy(sums.data(), results.data(), sizeof sums);
    metrics::write_psnr_hvs(metrics::psnr_hvs(sums, format_), scores);
    return true;
  }

 private:
  using Sums = std::array<float, shader::kHvsPlanes>;

  video::PictureFormat format_;
  PsnrHvs kernel_;
  std::shared_ptr<Buffer> terms_;
};

std::unique_ptr<FeatureWork> make_psnr_hvs_work(
    Device& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> /*the one*/) {
  return std::make_unique<PsnrHvsWork>(device, format);
}

}  // namespace

FamilyWork psnr_hvs_work() {
  return {&metrics::psnr_hvs_family(), make_psnr_hvs_work};
}

HvsDivisor hvs_divisor(float value) {
  const double reciprocal = 1 / static_cast<double>(value);
  const auto rounded = static_cast<float>(reciprocal);
  const auto high = std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) & 0xfffff000U);
  return {value, high, static_cast<float>(reciprocal - static_cast<double>(high))};
}

HvsVariant default_hvs_variant(const DeviceInfo& device) {
  return device.type == DeviceType::cpu ? HvsVariant::block : HvsVariant::lanes;
}

PsnrHvs::PsnrHvs(Device& device, const video::PictureFormat& format, HvsVariant variant)
    : variant_(variant), planes_(static_cast<std::uint32_t>(format.pixel.planes())) {
  const video::PictureLayout layout(format);
  for (std::uint32_t index = 0; index < shader::kHvsPlanes; ++index) {
    shader::HvsPlane& plane = push_.planes[index];
    plane = {.offset = 0,
             .stride = 0,
             .columns = 1,
             .first_row = rows_,
             .runs = 0,
             .first_run = runs_,
             .end_run = runs_};
    if (index >= planes_) continue;
    const metrics::HvsGrid grid = metrics::hvs_grid(format, static_cast<int>(index));
    plane.offset = static_cast<std::uint32_t>(layout.planes[index].offset / 4);
    plane.stride = static_cast<std::uint32_t>(layout.planes[index].stride / 4);
    plane.columns = static_cast<std::uint32_t>(grid.columns);
    plane.runs = divide_rounding_up(plane.columns, shader::kHvsRunBlocks);
    const auto rows = static_cast<std::uint32_t>(grid.rows);
    rows_ += rows;
    runs_ += rows * plane.runs;
    plane.end_run = runs_;
    runs_in_a_row_ = std::max(runs_in_a_row_, plane.runs);
  }

  const auto bytes = static_cast<std::uint32_t>(format.pixel.bytes_per_sample());
  texture_program_ = device.program("psnr_hvs_texture", {{{0, bytes}}});
  if (variant == HvsVariant::lanes) {
    terms_programs_.push_back(device.program("psnr_hvs_terms", {{{0, bytes}}}));
  } else {
    for (std::uint32_t plane = 0; plane < planes_; ++plane) {
      terms_programs_.push_back(device.program("psnr_hvs_terms_block", {{{0, bytes}, {1, plane}}}));
    }
  }
  binades_program_ = device.program("psnr_hvs_binades", {});
  steps_program_ = device.program("psnr_hvs_steps", {});
  sum_program_ = device.program("psnr_hvs_sum", {});
  tables_ = make_tables(device);
  const std::size_t runs = runs_;
  reference_textures_ = device.create_buffer(runs * shader::kHvsRunBlocks * sizeof(float));
  distorted_textures_ = device.create_buffer(runs * shader::kHvsRunBlocks * sizeof(float));
  run_sums_ = device.create_buffer(runs * sizeof(float));
  binades_ = device.create_buffer(runs * sizeof(std::uint32_t));
  steps_ = device.create_buffer(runs * 4 * sizeof(std::uint32_t));
}

std::size_t PsnrHvs::terms_bytes() const {
  return runs_ * kRunTerms * sizeof(float);
}

void PsnrHvs::record(CommandList& list, const BufferRange& reference, const BufferRange& distorted,
                     const BufferRange& terms, const BufferRange& results) const {
  list.upload({tables_.get(), 0, 0});
  if (variant_ == HvsVariant::lanes) {
    record_textures(list, reference, *reference_textures_);
    record_textures(list, distorted, *distorted_textures_);
    record_terms_by_lanes(list, reference, distorted, terms);
  } else {
    record_terms_by_block(list, reference, distorted, terms);
  }
  record_sum(list, terms, {run_sums_.get(), 0, 0}, results);
}

void PsnrHvs::record_textures(CommandList& list, const BufferRange& picture,
                              Buffer& textures) const {
  const std::array bindings = {picture, BufferRange{&textures, 0, 0}};
  list.dispatch(*texture_program_, bindings, push_,
                {divide_rounding_up(runs_in_a_row_, shader::kHvsTextureRuns), rows_, 1});
}

void PsnrHvs::record_terms_by_lanes(CommandList& list, const BufferRange& reference,
                                    const BufferRange& distorted, const BufferRange& terms) const {
  const std::array bindings = {reference,
                               distorted,
                               BufferRange{reference_textures_.get(), 0, 0},
                               BufferRange{distorted_textures_.get(), 0, 0},
                               BufferRange{tables_.get(), 0, 0},
                               terms,
                               BufferRange{run_sums_.get(), 0, 0}};
  list.dispatch(*terms_programs_[0], bindings, push_, {runs_in_a_row_, rows_, 1});
}

void PsnrHvs::record_terms_by_block(CommandList& list, const BufferRange& reference,
                                    const BufferRange& distorted, const BufferRange& terms) const {
  const std::array bindings = {reference, distorted, BufferRange{tables_.get(), 0, 0}, terms,
                               BufferRange{run_sums_.get(), 0, 0}};
  for (std::size_t index = 0; index < planes_; ++index) {
    const shader::HvsPlane& plane = push_.planes[index];
    const std::uint32_t rows = (plane.end_run - plane.first_run) / plane.runs;
    list.dispatch(*terms_programs_[index], bindings, push_,
                  {divide_rounding_up(plane.runs, shader::kHvsStepsRuns), rows, 1});
  }
}

void PsnrHvs::record_sum(CommandList& list, const BufferRange& terms, const BufferRange& run_sums,
                         const BufferRange& results) const {
  const BufferRange binades{binades_.get(), 0, 0};
  const BufferRange steps{steps_.get(), 0, 0};
  list.dispatch(*binades_program_, std::array{run_sums, binades}, push_, {planes_, 1, 1});
  list.dispatch(*steps_program_, std::array{terms, binades, steps}, push_,
                {divide_rounding_up(runs_in_a_row_, shader::kHvsStepsRuns), rows_, 1});
  list.dispatch(*sum_program_, std::array{terms, run_sums, binades, steps, results}, push_,
                {planes_, 1, 1});
}

}  // namespace sidecore::qpu
