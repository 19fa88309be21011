#include "qpu/metrics/motion.h"

#include <array>
#include <cstring>
#include <vector>

#include "metrics/families.h"
#include "metrics/float_psnr.interface.h"
#include "metrics/motion.interface.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/plane_rows.h"

namespace sidecore::qpu {
namespace {

/// Number of sums per picture: its differences from the pictures 1 and 2 before it. Sum i is at i *
/// kRangeAlignment.
constexpr std::size_t kMotionSums = 2;

class MotionWork final : public TemporalWork {
 public:
  MotionWork(Device& device, const video::PictureFormat& format,
             std::span<const metrics::FeatureRequest> requests)
      : format_(format),
        requests_(requests.begin(), requests.end()),
        distances_(requests),
        kernel_(device, format) {
    for (std::shared_ptr<Buffer>& sums : strip_sums_) {
      sums = device.create_buffer(kernel_.strips() * sizeof(std::uint64_t));
    }
  }

  [[nodiscard]] std::size_t result_bytes() const override {
    return (kMotionSums - 1) * kRangeAlignment + sizeof(std::uint64_t);
  }

  void record_in_clip(CommandList& list, const DevicePicture& reference,
                      std::span<const DevicePicture* const> earlier,
                      const BufferRange& results) override {
    for (std::size_t i = 0; i < kMotionSums; ++i) {
      if (!distances_.needed[i]) continue;
      // Without an earlier picture, compares the picture with itself: the scalar definition's value
      // is 0.
      const DevicePicture& previous = i < earlier.size() ? *earlier[i] : reference;
      kernel_.record(list, previous.plane(0), reference.plane(0), reference.stride(0),
                     {strip_sums_[i].get(), 0, 0},
                     {results.buffer, results.offset + i * kRangeAlignment, sizeof(std::uint64_t)});
    }
  }

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    std::array<std::uint64_t, kMotionSums> sads{};
    for (std::size_t i = 0; i < kMotionSums; ++i) {
      if (!distances_.needed[i]) continue;
      std::memcpy(&sads[i], results.data() + i * kRangeAlignment, sizeof sads[i]);
    }
    metrics::write_motion(sads, format_, requests_, scores);
    return true;
  }

 private:
  video::PictureFormat format_;
  std::vector<metrics::FeatureRequest> requests_;
  metrics::MotionDistances distances_;
  Motion kernel_;
  std::array<std::shared_ptr<Buffer>, kMotionSums> strip_sums_;
};

std::unique_ptr<FeatureWork> make_motion_work(Device& device, const video::PictureFormat& format,
                                              std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<MotionWork>(device, format, requests);
}

}  // namespace

FamilyWork motion_work() {
  return {&metrics::motion_family(), make_motion_work};
}

Motion::Motion(Device& device, const video::PictureFormat& format) : format_(format) {
  metrics::check_motion_format(format);
  strips_ = (static_cast<std::size_t>(format.height) + shader::kMotionStripRows - 1) /
            shader::kMotionStripRows;
  strips_program_ =
      device.program("motion", {{{0, static_cast<std::uint32_t>(format.pixel.bits)}}});
  total_program_ = device.program("float_psnr_total", {});
}

void Motion::record(CommandList& list, const BufferRange& previous, const BufferRange& current,
                    std::size_t stride, const BufferRange& strip_sums,
                    const BufferRange& total) const {
  const auto strips = static_cast<std::uint32_t>(strips_);
  const std::uint32_t vectors = stride_in_vectors("previous", previous, stride, format_);
  (void)stride_in_vectors("current", current, stride, format_);
  const shader::MotionPush push{.width = static_cast<std::uint32_t>(format_.width),
                                .height = static_cast<std::uint32_t>(format_.height),
                                .stride = 4 * vectors};
  const BufferRange planes[] = {previous, current, strip_sums};
  list.dispatch(*strips_program_, planes, push, {strips, 1, 1});
  const BufferRange sums[] = {strip_sums, total};
  list.dispatch(*total_program_, sums, shader::PsnrTotalPush{.strips = strips}, {1, 1, 1});
}

}  // namespace sidecore::qpu
