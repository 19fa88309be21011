// float_ssim and float_ms_ssim on the device: which planes are made and measured, and the scores.
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "metrics/decimation.h"
#include "metrics/families.h"
#include "metrics/ssim_kernel.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/ssim.h"

namespace sidecore::qpu {
namespace {

/// A float plane of each picture, made on the device.
struct DecimatedPair {
  DecimatedPair(Device& device, int width, int height)
      : reference(plane(device, width, height)), distorted(plane(device, width, height)) {}

  struct Owned {
    std::shared_ptr<Buffer> buffer;
    SsimPlane view;
  };
  Owned reference, distorted;

 private:
  static Owned plane(Device& device, int width, int height) {
    const std::size_t stride = (static_cast<std::size_t>(width) + 3) / 4 * 4 * sizeof(float);
    Owned owned{device.create_buffer(stride * static_cast<std::size_t>(height)), {}};
    owned.view = {{owned.buffer.get(), 0, 0}, stride, width, height, 0};
    return owned;
  }
};

/// A pair of planes whose sums the host reads, and where their means go.
struct Measured {
  int width = 0;
  int height = 0;
  metrics::SsimParts needed = {};
  metrics::SsimMeans* means = nullptr;
  metrics::SsimMeans* same = nullptr;  // or null
};

SsimPlane luma(const DevicePicture& picture) {
  const video::PictureFormat& format = picture.picture().format();
  return {picture.plane(0), picture.stride(0), format.width, format.height, format.pixel.bits};
}

class SsimWork final : public FeatureWork {
 public:
  SsimWork(const std::shared_ptr<Device>& device, const video::PictureFormat& format,
           std::span<const metrics::FeatureRequest> requests)
      : format_(format),
        requests_(requests.begin(), requests.end()),
        plan_(format, requests),
        ssim_(device, format.width, format.height) {
    if (plan_.undecimated()) {
      measured_.push_back({format.width, format.height, plan_.parts_at_scale(1), &result_.scales[1],
                           &result_.levels[0]});
    }
    for (const int scale : plan_.decimated_scales()) {
      add(*device, metrics::decimated_size(format.width, scale),
          metrics::decimated_size(format.height, scale), plan_.parts_at_scale(scale),
          result_.scales[static_cast<std::size_t>(scale)]);
    }
    if (!plan_.levels()) return;
    int width = format.width;
    int height = format.height;
    for (std::size_t level = 1; level < result_.levels.size(); ++level) {
      width = metrics::decimated_size(width, 2);
      height = metrics::decimated_size(height, 2);
      add(*device, width, height, plan_.parts_on_level(level), result_.levels[level]);
    }
  }

  [[nodiscard]] std::size_t result_bytes() const override {
    return measured_.size() * sizeof(shader::SsimSums);
  }

  void record(CommandList& list, const DevicePicture& reference, const DevicePicture& distorted,
              const BufferRange& results) override {
    const SsimPlane luma_a = luma(reference);
    const SsimPlane luma_b = luma(distorted);
    std::uint32_t place = 0;
    const auto measure = [&](const SsimPlane& a, const SsimPlane& b) {
      ssim_.measure(list, a, b, results, place, measured_[place].needed);
      ++place;
    };
    if (plan_.undecimated()) measure(luma_a, luma_b);
    auto pair = pairs_.begin();
    for (const int scale : plan_.decimated_scales()) {
      ssim_.decimate(list, luma_a, scale, pair->reference.view);
      ssim_.decimate(list, luma_b, scale, pair->distorted.view);
      measure(pair->reference.view, pair->distorted.view);
      ++pair;
    }
    SsimPlane larger_a = luma_a;
    SsimPlane larger_b = luma_b;
    for (; pair != pairs_.end(); ++pair) {
      ssim_.decimate(list, larger_a, Ssim::kHalving, pair->reference.view);
      ssim_.decimate(list, larger_b, Ssim::kHalving, pair->distorted.view);
      measure(pair->reference.view, pair->distorted.view);
      larger_a = pair->reference.view;
      larger_b = pair->distorted.view;
    }
  }

  void score(std::span<const std::byte> results, const video::Picture& reference,
             const video::Picture& distorted, std::span<double> scores) override {
    if (read_means(results)) {
      plan_.write_scores(result_, scores);
      return;
    }
    if (!host_) host_ = metrics::ssim_family().scalar(format_, requests_, 1);
    metrics::CallingThread thread;
    host_->score(reference, distorted, thread, scores);
    ++host_recomputations_;
  }

  [[nodiscard]] std::uint64_t host_recomputations() const override { return host_recomputations_; }

 private:
  void add(Device& device, int width, int height, const metrics::SsimParts& needed,
           metrics::SsimMeans& means) {
    pairs_.emplace_back(device, width, height);
    measured_.push_back({width, height, needed, &means, nullptr});
  }

  // False when a mean that is needed is open.
  bool read_means(std::span<const std::byte> results) {
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      const Measured& measured = measured_[i];
      shader::SsimSums sums;
      std::memcpy(&sums, results.data() + i * sizeof sums, sizeof sums);
      const metrics::SimilaritySums bounded = Ssim::sums_of(sums, measured.width, measured.height);
      // Larger terms were cut off when they were added.
      constexpr double kLargestTerm = 2.0;
      if (bounded.largest_structure >= kLargestTerm) return false;
      const auto means = metrics::certified_means(bounded, measured.needed);
      if (!means) return false;
      *measured.means = *means;
      if (measured.same != nullptr) *measured.same = *means;
    }
    return true;
  }

  video::PictureFormat format_;
  std::vector<metrics::FeatureRequest> requests_;
  metrics::SsimPlan plan_;
  Ssim ssim_;
  std::vector<DecimatedPair> pairs_;  // those of the scales, then those of the levels
  metrics::SsimResult result_;
  std::vector<Measured> measured_;  // points into result_
  std::unique_ptr<metrics::PairKernel> host_;
  std::uint64_t host_recomputations_ = 0;
};

std::unique_ptr<FeatureWork> make_ssim_work(const std::shared_ptr<Device>& device,
                                            const video::PictureFormat& format,
                                            std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<SsimWork>(device, format, requests);
}

}  // namespace

FamilyWork ssim_work() {
  return {&metrics::ssim_family(), make_ssim_work};
}

}  // namespace sidecore::qpu
