#include "qpu/metrics/speed_chroma.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "metrics/families.h"
#include "metrics/speed_chroma.h"
#include "metrics/speed_chroma.interface.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/plane_rows.h"
#include "qpu/workgroup_grid.h"

namespace sidecore::qpu {
namespace {

static_assert(SpeedChroma::kMaxPlanes == shader::kSpeedShaderPlanes);
static_assert(shader::kSpeedShaderPlanes == metrics::kSpeedPlanes);
static_assert(shader::kSpeedShaderTaps == metrics::kSpeedTaps);
static_assert(shader::kSpeedShaderWeights == metrics::kSpeedTaps / 2 + 1);

/// One element of the places buffer of speed_chroma_scaled.comp.
struct SpeedPlace {
  std::uint32_t positions;
  float share;
};

/// Writes the places of the columns or rows that the filter reads.
SpeedPlace* write_places(std::span<const metrics::SpeedInterpolation> scaled, int reduced,
                         SpeedPlace* to) {
  for (int i = 0; i < reduced; ++i) {
    for (int tap = 0; tap < static_cast<int>(metrics::kSpeedTaps); ++tap) {
      const int at =
          metrics::speed_mirror(metrics::kSpeedReduction * i + tap - metrics::kSpeedReach,
                                static_cast<int>(scaled.size()));
      const metrics::SpeedInterpolation& between = scaled[static_cast<std::size_t>(at)];
      *to++ = {static_cast<std::uint32_t>(between.before) |
                   static_cast<std::uint32_t>(between.after) << 16U,
               between.weight};
    }
  }
  return to;
}

std::shared_ptr<Buffer> make_places(Device& device, const metrics::SpeedReduction& reduction) {
  const auto [width, height] = reduction.reduced();
  const std::size_t count =
      metrics::kSpeedTaps * (static_cast<std::size_t>(width) + static_cast<std::size_t>(height));
  auto buffer = device.create_buffer(count * sizeof(SpeedPlace));
  SpeedPlace* const first = buffer->as<SpeedPlace>().data();
  SpeedPlace* const rows = write_places(reduction.columns(), width, first);
  (void)write_places(reduction.rows(), height, rows);
  return buffer;
}

/// Work of speed_chroma. The device returns planes, not a few sums: 1/256 of the chroma samples as
/// floats, 32 KB for 1920x1080 in 4:2:0 and 518 KB for 3840x2160 in 4:4:4. The rest is serial or in
/// binary64, which no device here has: sums over positions in the scalar definition's order,
/// eigenvalues and solutions of 25x25 systems, logarithms. The host's kernel computes it on the
/// scorer's own thread while the next pair is read. It also removes the local means: they are not
/// worth a dispatch, and those of scaled planes may be denormal.
class SpeedChromaWork final : public HostFinishedWork {
 public:
  SpeedChromaWork(Device& device, const video::PictureFormat& format,
                  std::span<const metrics::FeatureRequest> requests) {
    planes_.reserve(requests.size());
    for (const metrics::FeatureRequest& request : requests) {
      auto reduction = std::make_unique<const metrics::SpeedReduction>(
          metrics::speed_reduction(format, request.options));
      SpeedChroma kernel(device, *reduction);
      planes_.push_back({std::move(reduction), std::move(kernel), result_bytes_});
      result_bytes_ += metrics::speed_reduced_bytes(planes_.back().reduction->reduced()).request;
    }
  }

  [[nodiscard]] int planes() const override { return 3; }
  [[nodiscard]] std::size_t result_bytes() const override { return result_bytes_; }

  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& distorted,
              const BufferRange& results) override {
    const BufferRange planes[] = {reference.plane(1), distorted.plane(1), reference.plane(2),
                                  distorted.plane(2)};
    for (const Planes& request : planes_) {
      const std::size_t bytes =
          metrics::kSpeedPlanes * metrics::speed_reduced_bytes(request.reduction->reduced()).plane;
      request.kernel.record(list, planes, reference.stride(1),
                            {results.buffer, results.offset + request.offset, bytes});
    }
  }

 private:
  /// Kernel of a request, and the position of its reduced planes in the results.
  struct Planes {
    std::unique_ptr<const metrics::SpeedReduction> reduction;
    SpeedChroma kernel;
    std::size_t offset;  // offset of the reduced planes in the results, in bytes
  };

  std::vector<Planes> planes_;
  std::size_t result_bytes_ = 0;
};

std::unique_ptr<FeatureWork> make_speed_chroma_work(
    Device& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<SpeedChromaWork>(device, format, requests);
}

}  // namespace

FamilyWork speed_chroma_work() {
  return {&metrics::speed_chroma_family(), make_speed_chroma_work};
}

SpeedChroma::SpeedChroma(Device& device, const metrics::SpeedReduction& reduction)
    : reduction_(&reduction) {
  program_ = device.program(reduction.is_scaled() ? "speed_chroma_scaled" : "speed_chroma",
                            {{{0, static_cast<std::uint32_t>(reduction.bits())}}});
  if (reduction.is_scaled()) places_ = make_places(device, reduction);
}

void SpeedChroma::record(CommandList& list, std::span<const BufferRange> planes, std::size_t stride,
                         const BufferRange& reduced) const {
  assert(!planes.empty() && planes.size() <= kMaxPlanes);
  const auto [plane_width, plane_height] = reduction_->plane();
  const video::PictureFormat format{
      plane_width, plane_height, {video::Chroma::c400, reduction_->bits()}};
  std::uint32_t vectors = 0;
  for (const BufferRange& plane : planes) {
    vectors = stride_in_vectors("chroma plane's", plane, stride, format);
  }
  const auto [width, height] = reduction_->reduced();
  shader::SpeedChromaPush push{.stride = 2 * vectors,
                               .width = static_cast<std::uint32_t>(width),
                               .height = static_cast<std::uint32_t>(height),
                               .plane = static_cast<std::uint32_t>(width * height),
                               .weights = {}};
  for (std::size_t i = 0; i < shader::kSpeedShaderWeights; ++i) {
    push.weights[i] = reduction_->taps()[i];
    assert(reduction_->taps()[metrics::kSpeedTaps - 1 - i] == push.weights[i]);
  }
  // Bindings of missing planes repeat plane 0; the shader does not read them.
  const auto plane = [&](std::size_t i) { return planes[i < planes.size() ? i : 0]; };
  const BufferRange bindings[] = {plane(0), plane(1), plane(2),
                                  plane(3), reduced,  {places_.get(), 0, 0}};
  const auto z = static_cast<std::uint32_t>(planes.size());
  const std::uint32_t columns = divide_rounding_up(push.width, shader::kSpeedGroupColumns);
  if (reduction_->is_scaled()) {
    list.upload({places_.get(), 0, 0});
    list.dispatch(*program_, bindings, push, {columns, push.height, z});
  } else {
    list.dispatch(*program_, std::span(bindings).first(5), push,
                  {columns, divide_rounding_up(push.height, shader::kSpeedGroupRows), z});
  }
}

}  // namespace sidecore::qpu
