#include "bench/metrics/luma_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "bench/metrics/luma_content.h"

namespace sidecore::bench {
using gates::Content;

LumaWorkload::LumaWorkload(gates::WorkloadRequest request, const video::PictureFormat& format,
                           std::size_t rows, std::size_t result_bytes)
    : request_(std::move(request)), format_(format), rows_(rows) {
  const std::size_t plane_bytes = video::PictureLayout(format_).bytes;
  regions_[0] = block_.add("reference plane", plane_bytes);
  regions_[1] = block_.add("distorted plane", plane_bytes);
  results_ = block_.add("results", result_bytes);
}

void LumaWorkload::reset(std::span<std::byte> memory) const {
  block_.fill_guards(memory);
  // A stale result of an earlier run must not pass for a fresh one.
  std::ranges::fill(block_.part(memory, results_), std::byte{0xff});
  if (request_.content == Content::input) {
    if (format_.pixel.bits == 8) {
      copy_input<std::uint8_t>(memory);
    } else {
      copy_input<std::uint16_t>(memory);
    }
    return;
  }
  Random random(request_.seed);
  const auto a = view<std::uint8_t>(memory, Plane::reference);
  const auto b = view<std::uint8_t>(memory, Plane::distorted);
  const auto width = static_cast<std::size_t>(format_.width);
  for (int y = 0; y < format_.height; ++y) {
    fill_rows(request_.content, y, {a.row(y), width}, {b.row(y), width}, random);
  }
}

template <class Sample>
video::PlaneView<Sample> LumaWorkload::view(std::span<std::byte> memory, Plane plane) const {
  const std::span<std::byte> part = block_.part(memory, regions_[static_cast<std::size_t>(plane)]);
  return {reinterpret_cast<Sample*>(part.data()), format_.width, format_.height,
          static_cast<std::ptrdiff_t>(stride() / sizeof(Sample))};
}

template <class Sample>
void LumaWorkload::copy_input(std::span<std::byte> memory) const {
  const video::Picture& picture = *request_.picture;
  const auto from = picture.plane<Sample>(0);
  const auto a = view<Sample>(memory, Plane::reference);
  const auto b = view<Sample>(memory, Plane::distorted);
  Random random(request_.seed);
  for (int y = 0; y < format_.height; ++y) {
    std::copy_n(from.row(y), format_.width, a.row(y));
    if (request_.other) {
      const video::Picture& other = *request_.other;
      std::copy_n(other.plane<Sample>(0).row(y), format_.width, b.row(y));
    } else {
      std::transform(from.row(y), from.row(y) + format_.width, b.row(y), [&](Sample s) {
        return static_cast<Sample>(distort(s, format_.pixel.max_value(), random));
      });
    }
  }
}

void LumaWorkload::load(std::span<std::byte> memory, Plane plane, int first,
                        metrics::FloatView samples) const {
  const auto rows = [&]<class Sample>(video::PlaneView<Sample> all) {
    return video::PlaneView<const Sample>{all.row(first), all.width, samples.height, all.stride};
  };
  if (format_.pixel.bits == 8) {
    metrics::to_float(rows(view<std::uint8_t>(memory, plane)), samples);
  } else {
    metrics::to_float(rows(view<std::uint16_t>(memory, plane)), format_.pixel.bits, samples);
  }
}

video::PlaneView<const std::uint8_t> LumaWorkload::byte_rows(std::span<std::byte> memory,
                                                             Plane plane, int first,
                                                             int rows) const {
  const auto all = view<std::uint8_t>(memory, plane);
  return {all.row(first), all.width, rows, all.stride};
}

std::optional<std::size_t> LumaWorkload::unit_of(std::size_t byte) const {
  const std::optional<std::size_t> region = block_.region_of(byte);
  if (!region || *region != results_) return std::nullopt;
  return row_of((byte - block_.region(results_).offset) / sizeof(float));
}

std::string LumaWorkload::describe(std::size_t byte) const {
  const std::optional<std::size_t> region = block_.region_of(byte);
  if (!region) return block_.describe_guard(byte);
  const std::size_t at = byte - block_.region(*region).offset;
  if (*region == results_) {
    return fmt::format("row {} of results, float {}, byte {}", row_of(at / sizeof(float)),
                       at / sizeof(float), at % sizeof(float));
  }
  return fmt::format("{}, row {}, byte {}", block_.region(*region).name, at / stride(),
                     at % stride());
}

std::span<float> LumaWorkload::results(std::span<std::byte> memory) const {
  const std::span<std::byte> all = block_.part(memory, results_);
  return {reinterpret_cast<float*>(all.data()), all.size() / sizeof(float)};
}

qpu::BufferRange LumaWorkload::plane_range(qpu::Buffer& memory, Plane plane) const {
  return block_.range(memory, regions_[static_cast<std::size_t>(plane)]);
}

std::size_t LumaWorkload::stride() const {
  return video::PictureLayout(format_).planes[0].stride;
}

qpu::BufferRange LumaWorkload::result_range(qpu::Buffer& memory) const {
  return block_.range(memory, results_);
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
  format.pixel.chroma = video::Chroma::c400;
  return format;
}

}  // namespace sidecore::bench
