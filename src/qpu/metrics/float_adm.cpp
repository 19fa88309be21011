#include "qpu/metrics/float_adm.h"

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/rounding.h"
#include "metrics/families.h"
#include "metrics/float_adm.interface.h"
#include "metrics/float_adm_kernel.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/plane_rows.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
namespace {

static_assert(shader::kAdmShaderScales == metrics::kAdmScales);
static_assert(shader::kAdmShaderBands == metrics::kAdmBands);
static_assert(shader::kAdmDetailPlanes * sizeof(float) == sizeof(metrics::AdmSums::Scale));
static_assert(shader::kAdmSmallestCoefficientInShader == metrics::kAdmSmallestCoefficient);
static_assert(shader::kAdmSmallestTermInShader == metrics::kAdmSmallestTerm);

std::uint32_t word(int value) {
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::string float_adm_refusal(const metrics::AdmOptions& options) {
  if (options.p_norm != 3) {
    return fmt::format("float_adm's shaders support only adm_p_norm 3, not {}", options.p_norm);
  }
  const double limit = options.enhancement_gain_limit;
  if (double{static_cast<float>(limit)} != limit) {
    return fmt::format(
        "float_adm's shaders need an adm_enhn_gain_limit that binary32 holds exactly, "
        "unlike {}",
        limit);
  }
  return {};
}

AdmRowPlaces adm_row_places(const metrics::AdmScales& scales) {
  AdmRowPlaces places;
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    places.first[k] = places.rows;
    // Each scale takes a multiple of 64 rows, whose sums are a multiple of kRangeAlignment, so a
    // bound range may begin at any scale's first row.
    places.rows += round_up(word(scales[k].summed.bottom - scales[k].summed.top), 64);
  }
  return places;
}

FloatAdm::FloatAdm(Device& device, const video::PictureFormat& format,
                   const metrics::AdmOptions& options)
    : format_(format), options_(options) {
  scales_ = metrics::adm_scales(format, options);
  if (const std::string refusal = float_adm_refusal(options); !refusal.empty()) {
    throw usage_error("{}", refusal);
  }
  row_places_ = adm_row_places(scales_);

  std::size_t plane_numbers = 0;
  std::array<std::size_t, metrics::kAdmScales> first{};
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    places_[k].pitch = round_up(word(scales_[k].height), 16);
    places_[k].plane =
        round_up(places_[k].pitch * word(scales_[k].width), kRangeAlignment / sizeof(float));
    first[k] = plane_numbers;
    plane_numbers += places_[k].plane;
  }
  const auto make = [&](std::size_t planes) {
    return device.create_buffer(planes * plane_numbers * sizeof(float));
  };
  approximations_ = make(2);
  details_ = make(shader::kAdmDetailPlanes);
  thresholds_ = make(shader::kAdmThresholdPlanes);
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    Place& place = places_[k];
    const auto range = [&](const std::shared_ptr<Buffer>& buffer, std::size_t planes) {
      return BufferRange{buffer.get(), planes * first[k] * sizeof(float),
                         planes * place.plane * sizeof(float)};
    };
    place.approximations = range(approximations_, 2);
    place.details = range(details_, shader::kAdmDetailPlanes);
    place.thresholds = range(thresholds_, shader::kAdmThresholdPlanes);
  }

  luma_ = device.program("float_adm_luma", {{{0, word(format.pixel.bits)}}});
  bands_ = device.program("float_adm_bands", {});
  masking_ = device.program("float_adm_masking", {});
  recompute_ = device.program("float_adm_recompute", {});
  row_sums_ = device.program("float_adm_rows", {});
  total_ = device.program("float_adm_total", {});
}

void FloatAdm::record(CommandList& list, const BufferRange& reference, std::size_t reference_stride,
                      const BufferRange& distorted, std::size_t distorted_stride,
                      const BufferRange& rows, const BufferRange& totals) const {
  record_bands(list, 0, reference,
               stride_in_words("reference", reference, reference_stride, format_), distorted,
               stride_in_words("distorted", distorted, distorted_stride, format_));
  for (std::size_t k = 1; k < metrics::kAdmScales; ++k) {
    const Place& before = places_[k - 1];
    BufferRange plane = before.approximations;
    plane.size /= 2;
    BufferRange next = plane;
    next.offset += plane.size;
    record_bands(list, k, plane, before.pitch, next, before.pitch);
  }
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) record_masking(list, k);
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) record_recomputation(list, k);
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) record_rows(list, k, rows);
  record_total(list, rows, totals);
}

void FloatAdm::record_bands(CommandList& list, std::size_t k, const BufferRange& reference,
                            std::uint32_t reference_stride, const BufferRange& distorted,
                            std::uint32_t distorted_stride) const {
  const metrics::AdmScale& scale = scales_[k];
  const Place& place = places_[k];
  const shader::AdmBandsPush push{
      .input_width = word(scale.input_width),
      .input_height = word(scale.input_height),
      .reference_stride = reference_stride,
      .distorted_stride = distorted_stride,
      .width = word(scale.width),
      .height = word(scale.height),
      .pitch = place.pitch,
      .plane = place.plane,
      .left = word(scale.needed.left),
      .top = word(scale.needed.top),
      .right = word(scale.needed.right),
      .bottom = word(scale.needed.bottom),
      .straight_weight = scale.csf[0],
      .diagonal_weight = scale.csf[2],
      .gain_limit = static_cast<float>(options_.enhancement_gain_limit)};
  const BufferRange bindings[] = {reference, distorted, place.approximations, place.details};
  list.dispatch(k == 0 ? *luma_ : *bands_, bindings, push,
                {divide_rounding_up(push.height, shader::kAdmRows),
                 divide_rounding_up(push.width, shader::kAdmColumns), 1});
}

shader::AdmMaskingPush FloatAdm::masking_push(const metrics::AdmScale& scale, const Place& place) {
  return {.width = word(scale.width),
          .height = word(scale.height),
          .pitch = place.pitch,
          .plane = place.plane,
          .left = word(scale.summed.left),
          .top = word(scale.summed.top),
          .right = word(scale.summed.right),
          .bottom = word(scale.summed.bottom),
          .bands = shader::kAdmShaderBands};
}

void FloatAdm::record_masking(CommandList& list, std::size_t k) const {
  const shader::AdmMaskingPush push = masking_push(scales_[k], places_[k]);
  const BufferRange bindings[] = {places_[k].details, places_[k].thresholds};
  list.dispatch(
      *masking_, bindings, push,
      {divide_rounding_up(push.bottom - push.top, shader::kAdmRows),
       divide_rounding_up(push.right - push.left, shader::kAdmStrips * shader::kAdmStripColumns),
       shader::kAdmThresholdPlanes});
}

void FloatAdm::record_recomputation(CommandList& list, std::size_t k) const {
  const shader::AdmMaskingPush push = masking_push(scales_[k], places_[k]);
  const BufferRange bindings[] = {places_[k].details, places_[k].thresholds};
  list.dispatch(*recompute_, bindings, push,
                {divide_rounding_up(push.bottom - push.top, shader::kAdmRows),
                 divide_rounding_up(push.right - push.left, shader::kAdmSearchedColumns),
                 shader::kAdmThresholdPlanes});
}

void FloatAdm::record_rows(CommandList& list, std::size_t k, const BufferRange& rows) const {
  const metrics::AdmScale& scale = scales_[k];
  const Place& place = places_[k];
  const shader::AdmRowsPush push{.pitch = place.pitch,
                                 .plane = place.plane,
                                 .left = word(scale.summed.left),
                                 .top = word(scale.summed.top),
                                 .right = word(scale.summed.right),
                                 .bottom = word(scale.summed.bottom)};
  const std::size_t row_bytes = sizeof(metrics::AdmSums::Scale);
  const BufferRange bindings[] = {place.details,
                                  place.thresholds,
                                  {.buffer = rows.buffer,
                                   .offset = rows.offset + row_places_.first[k] * row_bytes,
                                   .size = (push.bottom - push.top) * row_bytes}};
  list.dispatch(
      *row_sums_, bindings, push,
      {divide_rounding_up(push.bottom - push.top, shader::kAdmRows), shader::kAdmDetailPlanes, 1});
}

void FloatAdm::record_total(CommandList& list, const BufferRange& rows,
                            const BufferRange& totals) const {
  shader::AdmTotalPush push{};
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    push.first_row[k] = row_places_.first[k];
    push.rows[k] = word(scales_[k].summed.bottom - scales_[k].summed.top);
  }
  const BufferRange bindings[] = {rows, totals};
  list.dispatch(*total_, bindings, push, {1, 1, 1});
}

metrics::AdmSums FloatAdm::sums(std::span<const std::byte> totals) {
  metrics::AdmSums sums;
  const auto take = [&](metrics::PerBand<float>& bands) {
    std::memcpy(bands.data(), totals.data(), sizeof bands);
    totals = totals.subspan(sizeof bands);
  };
  for (metrics::AdmSums::Scale& scale : sums.scales) {
    take(scale.reference);
    take(scale.restored);
    take(scale.impairment);
  }
  return sums;
}

namespace {

class FloatAdmWork final : public FeatureWork {
 public:
  FloatAdmWork(Device& device, const video::PictureFormat& format,
               std::span<const metrics::FeatureRequest> requests)
      : format_(format), requests_(requests) {
    for (const metrics::AdmOptions& options : requests_.sums) {
      kernels_.emplace_back(device, format, options);
    }
    // One buffer of row sums is enough, because submissions and their kernels run one after the
    // other.
    rows_ = device.create_buffer(kernels_.front().row_bytes());
  }

  [[nodiscard]] std::size_t result_bytes() const override { return kernels_.size() * kRoom; }

  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& distorted,
              const BufferRange& results) override {
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      kernels_[i].record(list, reference.plane(0), reference.stride(0), distorted.plane(0),
                         distorted.stride(0), {.buffer = rows_.get()},
                         {results.buffer, results.offset + i * kRoom, FloatAdm::kResultBytes});
    }
  }

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    for (const metrics::AdmRequests::Request& request : requests_.requests) {
      const metrics::AdmSums sums = FloatAdm::sums(results.subspan(request.sums * kRoom));
      scores = scores.subspan(metrics::write_adm_outputs(sums, format_, request.request, scores));
    }
    return true;
  }

 private:
  static constexpr std::size_t kRoom = round_up(FloatAdm::kResultBytes, kRangeAlignment);

  video::PictureFormat format_;
  metrics::AdmRequests requests_;
  std::vector<FloatAdm> kernels_;
  std::shared_ptr<Buffer> rows_;
};

std::unique_ptr<FeatureWork> make_float_adm_work(
    Device& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<FloatAdmWork>(device, format, requests);
}

std::string refusal_of_adm(const metrics::FeatureRequest& request) {
  return float_adm_refusal(metrics::adm_options(request));
}

}  // namespace

FamilyWork float_adm_work() {
  return {&metrics::float_adm_family(), make_float_adm_work, refusal_of_adm};
}

}  // namespace sidecore::qpu
