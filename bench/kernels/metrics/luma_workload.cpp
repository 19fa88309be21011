#include "kernels/metrics/luma_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace sidecore::bench {
namespace {

using gates::Content;

std::uint8_t sample(std::uint32_t value) {
  return static_cast<std::uint8_t>(value & 0xffU);
}

// Fills row `y` of both planes.
void fill_rows(Content content, int y, std::span<std::uint8_t> reference,
               std::span<std::uint8_t> distorted, Random& random) {
  assert(content != Content::input);
  for (std::size_t x = 0; x < reference.size(); ++x) {
    switch (content) {
      case Content::smooth: {
        const auto ramp = static_cast<std::uint32_t>(x) / 8 + static_cast<std::uint32_t>(y) / 4;
        reference[x] = sample(ramp % 250);
        distorted[x] = sample(ramp % 250 + random.below(3));
        break;
      }
      case Content::flat:
        reference[x] = sample(128);
        distorted[x] = sample(128 + random.below(2));
        break;
      case Content::high_variance:
        reference[x] = random.below(2) == 0 ? 0 : 255;
        distorted[x] = random.below(8) == 0 ? reference[x] : sample(255U - reference[x]);
        break;
      case Content::random:
      case Content::input:
        reference[x] = sample(random.below(256));
        distorted[x] = sample(random.below(256));
        break;
    }
  }
}

}  // namespace

LumaWorkload::LumaWorkload(gates::WorkloadRequest request, const video::PictureFormat& format,
                           std::string result_name, std::size_t result_bytes)
    : request_(std::move(request)),
      format_(format),
      stride_(video::PictureLayout(format).planes[0].stride) {
  const std::size_t plane_bytes = video::PictureLayout(format).planes[0].bytes;
  regions_[index(Plane::reference)] = block_.add("reference plane", plane_bytes);
  regions_[index(Plane::distorted)] = block_.add("distorted plane", plane_bytes);
  results_ = block_.add(std::move(result_name), result_bytes);
}

void LumaWorkload::reset(std::span<std::byte> memory) const {
  block_.fill_guards(memory);
  clear_results(memory);
  if (request_.content != Content::input) {
    synthesize(memory);
  } else if (format_.pixel.bits == 8) {
    copy_input<std::uint8_t>(memory);
  } else {
    copy_input<std::uint16_t>(memory);
  }
}

void LumaWorkload::clear_results(std::span<std::byte> memory) const {
  std::ranges::fill(block_.part(memory, results_), std::byte{0xff});
}

void LumaWorkload::synthesize(std::span<std::byte> memory) const {
  Random random(request_.seed);
  const auto reference = plane<std::uint8_t>(memory, Plane::reference);
  const auto distorted = plane<std::uint8_t>(memory, Plane::distorted);
  const auto width = static_cast<std::size_t>(format_.width);
  for (int y = 0; y < format_.height; ++y) {
    fill_rows(request_.content, y, {reference.row(y), width}, {distorted.row(y), width}, random);
  }
}

template <class Sample>
void LumaWorkload::copy_input(std::span<std::byte> memory) const {
  const auto reference = plane<Sample>(memory, Plane::reference);
  const auto distorted = plane<Sample>(memory, Plane::distorted);
  const auto from = std::as_const(*request_.picture).template plane<Sample>(0);
  Random random(request_.seed);
  const auto distort = [&](Sample s) {
    const int noise = static_cast<int>(random.below(7)) - 3;
    return static_cast<Sample>(std::clamp(s + noise, 0, format_.pixel.max_value()));
  };
  for (int y = 0; y < format_.height; ++y) {
    std::copy_n(from.row(y), format_.width, reference.row(y));
    if (request_.other) {
      const auto other = std::as_const(*request_.other).template plane<Sample>(0);
      std::copy_n(other.row(y), format_.width, distorted.row(y));
    } else {
      std::transform(from.row(y), from.row(y) + format_.width, distorted.row(y), distort);
    }
  }
}

std::optional<std::size_t> LumaWorkload::unit_of(std::size_t byte) const {
  const std::optional<std::size_t> region = block_.region_of(byte);
  if (!region) return std::nullopt;
  const std::size_t at = byte - block_.region(*region).offset;
  if (*region == results_) return unit_of_result(at);
  return unit_of_sample(at % stride_ / format_.pixel.bytes_per_sample(), at / stride_);
}

std::optional<std::size_t> LumaWorkload::unit_of_sample(std::size_t /*x*/,
                                                        std::size_t /*y*/) const {
  return std::nullopt;
}

std::string LumaWorkload::describe(std::size_t byte) const {
  const std::optional<std::size_t> region = block_.region_of(byte);
  if (!region) return block_.describe_guard(byte);
  const std::size_t at = byte - block_.region(*region).offset;
  if (*region == results_) return describe_result(at);
  return fmt::format("{}, row {}, byte {}", block_.region(*region).name, at / stride_,
                     at % stride_);
}

FloatRowsWorkload::FloatRowsWorkload(gates::WorkloadRequest request,
                                     const video::PictureFormat& format, std::size_t rows,
                                     std::size_t result_bytes)
    : LumaWorkload(std::move(request), format, "results", result_bytes), rows_(rows) {}

void FloatRowsWorkload::load(std::span<std::byte> memory, Plane which, int first,
                             metrics::FloatView samples) const {
  const auto rows = [&]<class Sample>(video::PlaneView<Sample> all) {
    return video::PlaneView<const Sample>{all.row(first), all.width, samples.height, all.stride};
  };
  if (format().pixel.bits == 8) {
    metrics::to_float(rows(plane<std::uint8_t>(memory, which)), samples);
  } else {
    metrics::to_float(rows(plane<std::uint16_t>(memory, which)), format().pixel.bits, samples);
  }
}

video::PlaneView<const std::uint8_t> FloatRowsWorkload::byte_rows(std::span<std::byte> memory,
                                                                  Plane which, int first,
                                                                  int rows) const {
  const auto all = plane<std::uint8_t>(memory, which);
  return {all.row(first), all.width, rows, all.stride};
}

std::optional<std::size_t> FloatRowsWorkload::unit_of_result(std::size_t byte) const {
  return row_of(byte / sizeof(float));
}

std::string FloatRowsWorkload::describe_result(std::size_t byte) const {
  return fmt::format("row {} of results, float {}, byte {}", row_of(byte / sizeof(float)),
                     byte / sizeof(float), byte % sizeof(float));
}

video::PictureFormat luma_format(const gates::WorkloadRequest& request, const char* kernel) {
  video::PictureFormat format{request.width, request.height, {video::Chroma::c400, 8}};
  if (request.content == Content::input) {
    if (!request.picture) throw usage_error("{}: input content needs a picture", kernel);
    format = request.picture->format();
    if (request.other && !(request.other->format() == format)) {
      throw usage_error("{}: reference is {}, distorted is {}", kernel, to_string(format),
                        to_string(request.other->format()));
    }
  }
  video::check_format(format);
  format.pixel.chroma = video::Chroma::c400;  // luma only
  return format;
}

}  // namespace sidecore::bench
