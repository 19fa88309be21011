// float_ssim and float_ms_ssim on the device: the planes that are made and measured, and the
// scores.
#include <array>
#include <cstring>
#include <vector>

#include "base/rounding.h"
#include "metrics/decimation.h"
#include "metrics/families.h"
#include "metrics/ssim_kernel.h"
#include "qpu/metrics/families.h"
#include "qpu/metrics/ssim.h"

namespace sidecore::qpu {
namespace {

/// A pair of float planes that the device makes.
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

/// A pair of planes whose sums the host reads, and the index of their means in a SsimResult.
struct Measured {
  int width = 0;
  int height = 0;
  std::size_t place = 0;
};

SsimPlane luma(const DevicePicture& picture) {
  const video::PictureFormat& format = picture.picture().format();
  return {picture.plane(0), picture.stride(0), format.width, format.height, format.pixel.bits};
}

class SsimWork final : public FeatureWork, public SecondPass {
 public:
  SsimWork(Device& device, const video::PictureFormat& format,
           std::span<const metrics::FeatureRequest> requests)
      : plan_(format, requests), ssim_(device, format.width, format.height) {
    if (plan_.undecimated()) {
      measured_.push_back({format.width, format.height, metrics::place_of_scale(1)});
    }
    for (const int scale : plan_.decimated_scales()) {
      add(device, metrics::decimated_size(format.width, scale),
          metrics::decimated_size(format.height, scale), metrics::place_of_scale(scale));
    }
    if (!plan_.levels()) return;
    int width = format.width;
    int height = format.height;
    for (std::size_t level = 1; level < metrics::kMsSsimLevels; ++level) {
      width = metrics::decimated_size(width, 2);
      height = metrics::decimated_size(height, 2);
      add(device, width, height, metrics::place_of_level(level));
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
      ssim_.measure(list, a, b, results, place, plan_.parts(measured_[place].place));
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

  [[nodiscard]] bool score(std::span<const std::byte> results,
                           std::span<double> scores) const override {
    return score_again(results, {}, scores);
  }
  [[nodiscard]] bool score_again(std::span<const std::byte> results,
                                 std::span<const std::byte> further,
                                 std::span<double> scores) const override {
    const Means means = read_means(results, further);
    plan_.write_scores(means.result, scores);
    return means.undecided.empty();
  }

  [[nodiscard]] std::size_t further_bytes(std::span<const std::byte> results) const override {
    std::size_t bytes = 0;
    for (const UndecidedMean& mean : read_means(results, {}).undecided) bytes += run_bytes(mean);
    return bytes;
  }

  void record_further(CommandList& list, const DevicePicture& reference,
                      const DevicePicture& distorted, std::span<const std::byte> results,
                      const BufferRange& further) override {
    const Means means = read_means(results, {});
    SsimPlane a = luma(reference);
    SsimPlane b = luma(distorted);
    std::size_t offset = further.offset;
    auto undecided = means.undecided.begin();
    auto pair = pairs_.begin();
    for (const Measured& measured : measured_) {
      if (measured.place > 1) {
        const auto scale = static_cast<int>(measured.place);
        const bool level = scale > metrics::kMaxSsimScale;
        if (undecided == means.undecided.end()) return;
        if (level || undecided->measured == &measured) {
          const int factor = level ? Ssim::kHalving : scale;
          const bool first = !level || measured.place == metrics::place_of_level(1);
          ssim_.decimate(list, first ? luma(reference) : a, factor, pair->reference.view);
          ssim_.decimate(list, first ? luma(distorted) : b, factor, pair->distorted.view);
        }
        a = pair->reference.view;
        b = pair->distorted.view;
        ++pair;
      }
      for (; undecided != means.undecided.end() && undecided->measured == &measured; ++undecided) {
        const std::size_t bytes = run_bytes(*undecided);
        if (bytes == 0) continue;
        ssim_.measure_serially(list, a, b, {further.buffer, offset, bytes}, undecided->part);
        offset += bytes;
      }
    }
  }

  std::uint64_t recompute(std::span<const std::byte> results, std::span<const std::byte> further,
                          const video::Picture& reference, const video::Picture& distorted,
                          metrics::PairKernel& host, std::span<double> scores) const override {
    Means means = read_means(results, further);
    std::vector<std::size_t> numbers;
    for (const auto& [measured, part, largest] : means.undecided) {
      numbers.push_back(metrics::ssim_value(measured->place, static_cast<std::size_t>(part)));
    }
    std::vector<double> values(numbers.size());
    CallingThread thread;
    host.recompute_exactly(reference, distorted, thread, numbers, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      means.at(means.undecided[i]) = static_cast<float>(values[i]);
    }
    plan_.write_scores(means.result, scores);
    return values.size();
  }

 private:
  struct UndecidedMean {
    const Measured* measured = nullptr;
    metrics::SsimPart part = {};
    double largest = 0;  // largest magnitude of a term of the similarity
  };
  struct Means {
    metrics::SsimResult result;
    std::vector<UndecidedMean> undecided;  // undecided means, sorted by the index of the value

    [[nodiscard]] float& at(const UndecidedMean& mean) {
      return result[mean.measured->place].*metrics::kSsimMeans[static_cast<std::size_t>(mean.part)];
    }
  };

  // Limit of a term's magnitude; larger terms are clipped when they are added.
  static constexpr double kLargestTerm = 2.0;

  /// Returns the bytes that the device writes to decide the mean: whole runs, rounded up to where
  /// the next range may begin.
  [[nodiscard]] static std::size_t run_bytes(const UndecidedMean& mean) {
    if (mean.largest > kLargestTerm) return 0;
    const std::size_t bytes =
        Ssim::run_count(mean.measured->width, mean.measured->height) * sizeof(shader::SsimRun);
    return round_up(bytes, kRangeAlignment);
  }

  void add(Device& device, int width, int height, std::size_t place) {
    pairs_.emplace_back(device, width, height);
    measured_.push_back({width, height, place});
  }

  [[nodiscard]] Means read_means(std::span<const std::byte> results,
                                 std::span<const std::byte> further) const {
    Means means;
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      const auto& [width, height, place] = measured_[i];
      shader::SsimSums sums;
      std::memcpy(&sums, results.data() + i * sizeof sums, sizeof sums);
      const metrics::SimilaritySums bounded = Ssim::sums_of(sums, width, height);
      const metrics::SsimParts& needed = plan_.parts(place);
      const std::array largest = metrics::largest_similarities(bounded.largest_structure);
      auto [certified, undecided] = metrics::certified_means(bounded, needed);
      means.result[place] = certified;
      for (std::size_t part = 0; part < largest.size(); ++part) {
        const bool cut_off = needed.*metrics::kSsimParts[part] && largest[part] > kLargestTerm;
        if (!(undecided.*metrics::kSsimParts[part]) && !cut_off) continue;
        const UndecidedMean mean{&measured_[i], static_cast<metrics::SsimPart>(part),
                                 largest[part]};
        if (!decided_by(mean, further, means)) means.undecided.push_back(mean);
      }
    }
    return means;
  }

  /// Takes the mean's bytes from `further`, if there are any, and computes the mean from them.
  /// Returns false if it stays undecided.
  static bool decided_by(const UndecidedMean& mean, std::span<const std::byte>& further,
                         Means& means) {
    const std::size_t bytes = run_bytes(mean);
    if (further.empty() || bytes == 0) return false;
    const auto& [width, height, place] = *mean.measured;
    std::vector<shader::SsimRun> runs(Ssim::run_count(width, height));
    std::memcpy(runs.data(), further.data(), runs.size() * sizeof(shader::SsimRun));
    further = further.subspan(bytes);
    const auto windows = static_cast<std::uint64_t>(width - metrics::kSsimWindow + 1) *
                         static_cast<std::uint64_t>(height - metrics::kSsimWindow + 1);
    const auto certified = metrics::certified_mean_of_serial(
        Ssim::serial_sum(runs, width, height, mean.part, mean.largest), windows);
    if (certified) means.at(mean) = *certified;
    return certified.has_value();
  }

  metrics::SsimPlan plan_;
  Ssim ssim_;
  std::vector<DecimatedPair> pairs_;  // pairs of the scales, then of the levels
  std::vector<Measured> measured_;    // sorted by the index of the plane pair
};

std::unique_ptr<FeatureWork> make_ssim_work(Device& device, const video::PictureFormat& format,
                                            std::span<const metrics::FeatureRequest> requests) {
  return std::make_unique<SsimWork>(device, format, requests);
}

}  // namespace

FamilyWork ssim_work() {
  return {&metrics::ssim_family(), make_ssim_work};
}

}  // namespace sidecore::qpu
