#include "qpu/metrics/adm.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "base/rounding.h"
#include "metrics/adm.interface.h"
#include "metrics/families.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/plane_rows.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
namespace {

static_assert(shader::kIntegerAdmScales == metrics::kAdmScales);
static_assert(shader::kIntegerAdmBands == metrics::kAdmBands);
static_assert(shader::kIntegerAdmSums * sizeof(std::uint64_t) == sizeof(metrics::IntegerAdmSums));

std::uint32_t adm_word(int value) {
  return static_cast<std::uint32_t>(value);
}

}  // namespace

Adm::Adm(Device& device, const video::PictureFormat& format) : format_(format) {
  const metrics::AdmScales scales = metrics::adm_scales(format, {});
  row_places_ = adm_row_places(scales);
  std::size_t numbers = 0;
  std::array<std::size_t, metrics::kAdmScales> first{};
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    Place& place = places_[k];
    place.geometry = scales[k];
    place.pitch = round_up(adm_word(scales[k].width), shader::kIntegerAdmColumns);
    place.plane =
        round_up(place.pitch * adm_word(scales[k].height), kRangeAlignment / sizeof(std::int32_t));
    first[k] = numbers;
    numbers += place.plane;
  }
  wavelets_ =
      device.create_buffer(numbers * shader::kIntegerAdmWaveletPlanes * sizeof(std::int32_t));
  details_ = device.create_buffer(numbers * shader::kIntegerAdmDetailPlanes * sizeof(std::int32_t));
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    Place& place = places_[k];
    const auto range = [&](const std::shared_ptr<Buffer>& buffer, std::size_t planes) {
      return BufferRange{buffer.get(), planes * first[k] * sizeof(std::int32_t),
                         planes * place.plane * sizeof(std::int32_t)};
    };
    place.wavelets = range(wavelets_, shader::kIntegerAdmWaveletPlanes);
    place.details = range(details_, shader::kIntegerAdmDetailPlanes);
  }
  transforms_[0] = device.program("adm_luma", {{{0, adm_word(format.pixel.bits)}}});
  for (std::uint32_t k = 1; k < metrics::kAdmScales; ++k) {
    transforms_[k] = device.program("adm_bands", {{{0, k}}});
  }
  for (const std::uint32_t first_scale : {1U, 0U}) {
    const Specialization constants{{{0, first_scale}}};
    detail_programs_[1 - first_scale] = device.program("adm_details", constants);
    row_programs_[1 - first_scale] = device.program("adm_rows", constants);
  }
  total_ = device.program("adm_total", {});
}

void Adm::record_transform(CommandList& list, const BufferRange& reference,
                           std::size_t reference_stride, const BufferRange& distorted,
                           std::size_t distorted_stride) const {
  // The shader reads luma as vectors of 8 bytes, two per 16-byte vector.
  std::uint32_t strides[] = {
      2 * stride_in_vectors("reference", reference, reference_stride, format_),
      2 * stride_in_vectors("distorted", distorted, distorted_stride, format_)};
  BufferRange inputs[] = {reference, distorted};
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    const Place& place = places_[k];
    const shader::AdmWaveletPush push{.input_width = adm_word(place.geometry.input_width),
                                      .input_height = adm_word(place.geometry.input_height),
                                      .reference_stride = strides[0],
                                      .distorted_stride = strides[1],
                                      .width = adm_word(place.geometry.width),
                                      .height = adm_word(place.geometry.height),
                                      .pitch = place.pitch,
                                      .plane = place.plane};
    const BufferRange bindings[] = {inputs[0], inputs[1], place.wavelets};
    const std::uint32_t columns = shader::kIntegerAdmColumns / (k == 0 ? 1 : 2);
    list.dispatch(*transforms_[k], bindings, push,
                  {divide_rounding_up(push.width, columns * shader::kIntegerAdmLanes),
                   divide_rounding_up(push.height, shader::kIntegerAdmRows), 2});
    for (std::size_t picture = 0; picture < 2; ++picture) {
      strides[picture] = place.pitch / 4;
      inputs[picture] = place.wavelets;
      inputs[picture].size = place.plane * sizeof(std::int32_t);
      inputs[picture].offset += picture * 4 * inputs[picture].size;
    }
  }
}

void Adm::record_sums(CommandList& list, const metrics::IntegerAdmRequest& request,
                      const BufferRange& rows, const BufferRange& totals) const {
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) record_details(list, request, k);
  for (const metrics::IntegerAdmScale& scale : request.scales) record_rows(list, scale, rows);
  shader::AdmIntegerTotalPush push{};
  for (std::size_t k = 0; k < metrics::kAdmScales; ++k) {
    const metrics::BandArea& area = places_[k].geometry.summed;
    push.first_row[k] = row_places_.first[k];
    push.rows[k] = adm_word(area.bottom - area.top);
  }
  const BufferRange bindings[] = {rows, totals};
  list.dispatch(*total_, bindings, push, {shader::kIntegerAdmSums, metrics::kAdmScales, 1});
}

void Adm::record_details(CommandList& list, const metrics::IntegerAdmRequest& request,
                         std::size_t k) const {
  const Place& place = places_[k];
  const metrics::BandArea& area = place.geometry.needed;
  const double gain =
      // The limit is at least 1, so its binary64 has at most 52 bits after the binary point.
      request.options.enhancement_gain_limit;
  const auto fraction = static_cast<std::uint64_t>(std::ldexp(gain - std::floor(gain), 52));
  const shader::AdmDetailsPush push{
      .width = adm_word(place.geometry.width),
      .pitch = place.pitch,
      .plane = place.plane,
      .left = adm_word(area.left),
      .top = adm_word(area.top),
      .right = adm_word(area.right),
      .bottom = adm_word(area.bottom),
      .straight_factor = request.scales[k].factor[0],
      .diagonal_factor = request.scales[k].factor[2],
      .gain_whole = static_cast<std::uint32_t>(gain),
      .gain_fraction_high = static_cast<std::uint32_t>(fraction >> 32),
      .gain_fraction_low = static_cast<std::uint32_t>(fraction)};
  const BufferRange bindings[] = {place.wavelets, place.details};
  // Vectors of four columns begin at columns that are multiples of four.
  const std::uint32_t columns = push.right - push.left / 4 * 4;
  list.dispatch(*detail_programs_[k == 0 ? 0 : 1], bindings, push,
                {divide_rounding_up(columns, shader::kIntegerAdmColumns * shader::kIntegerAdmLanes),
                 divide_rounding_up(push.bottom - push.top, shader::kIntegerAdmRows), 1});
}

void Adm::record_rows(CommandList& list, const metrics::IntegerAdmScale& scale,
                      const BufferRange& rows) const {
  constexpr std::array<std::uint32_t, metrics::kAdmScales> kSquareShift = {0, 31, 30, 31};
  const Place& place = places_[scale.index];
  const metrics::BandArea& area = place.geometry.summed;
  const shader::AdmIntegerRowsPush push{
      .width = adm_word(place.geometry.width),
      .height = adm_word(place.geometry.height),
      .pitch = place.pitch,
      .plane = place.plane,
      .left = adm_word(area.left),
      .top = adm_word(area.top),
      .right = adm_word(area.right),
      .bottom = adm_word(area.bottom),
      .reference_square_shift = kSquareShift[scale.index],
      .reference_cube_shift = adm_word(metrics::adm_log2_ceiling(area.right - area.left)),
      .reference_row_shift = adm_word(metrics::adm_reference_row_shift(scale)),
      .width_log2 = adm_word(metrics::adm_log2_ceiling(place.geometry.width)),
      .row_shift = adm_word(metrics::adm_visible_row_shift(scale))};
  const std::size_t row_bytes = sizeof(metrics::IntegerAdmSums);
  const BufferRange bindings[] = {
      place.wavelets,
      place.details,
      {.buffer = rows.buffer,
       .offset = rows.offset + row_places_.first[scale.index] * row_bytes,
       .size = (push.bottom - push.top) * row_bytes}};
  list.dispatch(*row_programs_[scale.index == 0 ? 0 : 1], bindings, push,
                {1, divide_rounding_up(push.bottom - push.top, shader::kIntegerAdmRows), 3});
}

namespace {

class AdmWork final : public FeatureWork {
 public:
  AdmWork(Device& device, const video::PictureFormat& format,
          std::span<const metrics::FeatureRequest> requests)
      : format_(format),
        requests_(metrics::integer_adm_requests(format, requests)),
        kernel_(device, format),
        // One buffer of row sums is enough, because command lists and the dispatches of the
        // requests run one after the other.
        rows_(device.create_buffer(kernel_.row_places().rows * sizeof(metrics::IntegerAdmSums))) {}

  [[nodiscard]] std::size_t result_bytes() const override { return requests_.size() * kRoom; }

  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& distorted,
              const BufferRange& results) override {
    kernel_.record_transform(list, reference.plane(0), reference.stride(0), distorted.plane(0),
                             distorted.stride(0));
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      kernel_.record_sums(list, requests_[i], {.buffer = rows_.get()},
                          {results.buffer, results.offset + i * kRoom, Adm::kResultBytes});
    }
  }

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      metrics::IntegerAdmTotals totals;
      std::memcpy(totals.data(), results.data() + i * kRoom, sizeof totals);
      scores = scores.subspan(metrics::write_integer_adm(totals, requests_[i], format_, scores));
    }
    return true;
  }

 private:
  static constexpr std::size_t kRoom = round_up(Adm::kResultBytes, kRangeAlignment);

  video::PictureFormat format_;
  std::vector<metrics::IntegerAdmRequest> requests_;
  Adm kernel_;
  std::shared_ptr<Buffer> rows_;
};

std::unique_ptr<FeatureWork> make_adm_work(Device& device, const video::PictureFormat& format,
                                           std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<AdmWork>(device, format, requests);
}

}  // namespace

FamilyWork adm_work() {
  return {&metrics::adm_family(), make_adm_work};
}

}  // namespace sidecore::qpu
