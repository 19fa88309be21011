#include "qpu/metrics/float_psnr.h"

#include <cstring>

#include "metrics/families.h"
#include "metrics/float_psnr.interface.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/plane_rows.h"

namespace sidecore::qpu {
namespace {

class FloatPsnrWork final : public FeatureWork {
 public:
  FloatPsnrWork(Device& device, const video::PictureFormat& format)
      : format_(format),
        kernel_(device, format),
        strip_sums_(device.create_buffer(kernel_.strips() * sizeof(metrics::SquaredErrorSum))) {}

  [[nodiscard]] std::size_t result_bytes() const override {
    return sizeof(metrics::SquaredErrorSum);
  }

  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& distorted,
              const BufferRange& results) override {
    kernel_.record(list, reference.plane(0), reference.stride(0), distorted.plane(0),
                   distorted.stride(0), {strip_sums_.get(), 0, 0}, results);
  }

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    metrics::SquaredErrorSum sum = 0;
    std::memcpy(&sum, results.data(), sizeof sum);
    scores[0] = metrics::float_psnr(sum, format_.width, format_.height, format_.pixel.bits);
    return true;
  }

 private:
  video::PictureFormat format_;
  FloatPsnr kernel_;
  std::shared_ptr<Buffer> strip_sums_;
};

std::unique_ptr<FeatureWork> make_float_psnr_work(
    Device& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> /*the one*/) {
  return std::make_unique<FloatPsnrWork>(device, format);
}

}  // namespace

FamilyWork float_psnr_work() {
  return {&metrics::float_psnr_family(), make_float_psnr_work};
}

FloatPsnr::FloatPsnr(Device& device, const video::PictureFormat& format) : format_(format) {
  video::check_format(format);
  metrics::check_float_psnr_depth(format.pixel.bits);
  strips_ = (static_cast<std::size_t>(format.height) + shader::kPsnrStripRows - 1) /
            shader::kPsnrStripRows;
  strips_program_ =
      device.program("float_psnr", {{{0, static_cast<std::uint32_t>(format.pixel.bits)}}});
  total_program_ = device.program("float_psnr_total", {});
}

void FloatPsnr::record(CommandList& list, const BufferRange& reference,
                       std::size_t reference_stride, const BufferRange& distorted,
                       std::size_t distorted_stride, const BufferRange& strip_sums,
                       const BufferRange& total) const {
  const auto strips = static_cast<std::uint32_t>(strips_);
  const shader::PsnrPush push{
      .width = static_cast<std::uint32_t>(format_.width),
      .height = static_cast<std::uint32_t>(format_.height),
      .reference_stride = stride_in_vectors("reference", reference, reference_stride, format_),
      .distorted_stride = stride_in_vectors("distorted", distorted, distorted_stride, format_)};
  const BufferRange planes[] = {reference, distorted, strip_sums};
  list.dispatch(*strips_program_, planes, push, {strips, 1, 1});
  const BufferRange sums[] = {strip_sums, total};
  list.dispatch(*total_program_, sums, shader::PsnrTotalPush{.strips = strips}, {1, 1, 1});
}

}  // namespace sidecore::qpu
