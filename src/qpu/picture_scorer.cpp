#include "qpu/picture_scorer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "metrics/feature.h"
#include "metrics/float_psnr.h"
#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/float_psnr.h"

namespace sidecore::qpu {
namespace {

/// A picture in device-visible memory.
struct DevicePicture {
  DevicePicture(Device& device, const video::PictureFormat& format)
      : buffer(device.create_buffer(video::PictureLayout(format).bytes)),
        picture(format, buffer->bytes(), buffer) {}

  [[nodiscard]] BufferRange luma() const {
    const video::PictureLayout::Plane& plane = picture.layout().planes[0];
    return {buffer.get(), plane.offset, plane.bytes};
  }
  [[nodiscard]] std::size_t luma_stride() const { return picture.layout().planes[0].stride; }

  std::shared_ptr<Buffer> buffer;
  video::Picture picture;
};

/// A feature's work for one slot: buffers for its intermediate and final values, and how scores
/// come of those.
class FeatureWork {
 public:
  virtual ~FeatureWork() = default;
  /// Records everything from luma planes that the device sees to values that the host sees.
  virtual void record(CommandList& list, const DevicePicture& reference,
                      const DevicePicture& distorted) = 0;
  /// Once the list has run: appends the scores.
  virtual void append_scores(std::vector<double>& scores) = 0;
};

class FloatPsnrWork final : public FeatureWork {
 public:
  FloatPsnrWork(const std::shared_ptr<Device>& device, const video::PictureFormat& format)
      : format_(format),
        kernel_(device, format),
        strip_sums_(device->create_buffer(kernel_.strips() * sizeof(metrics::SquaredErrorSum))),
        total_(device->create_buffer(sizeof(metrics::SquaredErrorSum))) {}

  void record(CommandList& list, const DevicePicture& reference,
              const DevicePicture& distorted) override {
    const BufferRange total{total_.get(), 0, 0};
    kernel_.record(list, reference.luma(), reference.luma_stride(), distorted.luma(),
                   distorted.luma_stride(), {strip_sums_.get(), 0, 0}, total);
    list.download(total);
  }

  void append_scores(std::vector<double>& scores) override {
    scores.push_back(metrics::float_psnr(total_->as<metrics::SquaredErrorSum>()[0], format_.width,
                                         format_.height, format_.pixel.bits));
  }

 private:
  video::PictureFormat format_;
  FloatPsnr kernel_;
  std::shared_ptr<Buffer> strip_sums_;
  std::shared_ptr<Buffer> total_;
};

template <class Work>
std::unique_ptr<FeatureWork> make(const std::shared_ptr<Device>& device,
                                  const video::PictureFormat& format) {
  return std::make_unique<Work>(device, format);
}

struct Entry {
  std::string_view feature;
  std::unique_ptr<FeatureWork> (*make)(const std::shared_ptr<Device>&, const video::PictureFormat&);
};
constexpr std::array kEntries{Entry{"float_psnr", make<FloatPsnrWork>}};

const Entry* find_entry(std::string_view feature) {
  for (const Entry& entry : kEntries) {
    if (entry.feature == feature) return &entry;
  }
  return nullptr;
}

/// A pair of pictures and all the work on them, recorded once.
class Slot {
 public:
  Slot(const std::shared_ptr<Device>& device, const video::PictureFormat& format,
       const std::vector<std::string_view>& features)
      : reference_(*device, format),
        distorted_(*device, format),
        list_(device->create_command_list()) {
    list_->upload(reference_.luma());
    list_->upload(distorted_.luma());
    for (const std::string_view feature : features) {
      works_.push_back(find_entry(feature)->make(device, format));
      works_.back()->record(*list_, reference_, distorted_);
    }
    list_->finish();
  }

  [[nodiscard]] video::Picture& reference() { return reference_.picture; }
  [[nodiscard]] video::Picture& distorted() { return distorted_.picture; }

  void submit(Device& device) {
    ticket_ = device.submit(*list_);
    in_flight_ = true;
  }

  std::span<const double> collect() {
    wait();
    scores_.clear();
    for (const auto& work : works_) work->append_scores(scores_);
    return scores_;
  }

  void wait() {
    if (std::exchange(in_flight_, false)) ticket_.wait();
  }

 private:
  DevicePicture reference_;
  DevicePicture distorted_;
  std::vector<std::unique_ptr<FeatureWork>> works_;
  std::unique_ptr<CommandList> list_;
  Ticket ticket_;
  bool in_flight_ = false;
  std::vector<double> scores_;
};

class QpuScorer final : public metrics::PictureScorer {
 public:
  QpuScorer(std::shared_ptr<Device> device, const video::PictureFormat& format,
            const std::vector<std::string_view>& features)
      : device_(std::move(device)) {
    for (const std::string_view feature : features) {
      metrics::find_feature(feature).check(format);
      if (!has_feature(feature)) throw usage_error("feature '{}' has no shader", feature);
    }
    for (int i = 0; i < kSlots; ++i) {
      slots_.push_back(std::make_unique<Slot>(device_, format, features));
    }
  }

  ~QpuScorer() override {
    for (const auto& slot : slots_) {
      try {
        slot->wait();
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
        // The device is lost: nothing of ours is in flight on it any more.
      }
    }
  }
  QpuScorer(const QpuScorer&) = delete;
  QpuScorer& operator=(const QpuScorer&) = delete;

  [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
  [[nodiscard]] video::Picture& reference(std::size_t slot) override {
    return slots_[slot]->reference();
  }
  [[nodiscard]] video::Picture& distorted(std::size_t slot) override {
    return slots_[slot]->distorted();
  }
  void submit(std::size_t slot) override { slots_[slot]->submit(*device_); }
  [[nodiscard]] std::span<const double> collect(std::size_t slot) override {
    return slots_[slot]->collect();
  }

 private:
  // Two pairs in flight, and a third being read.
  static constexpr int kSlots = 3;

  std::shared_ptr<Device> device_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace

bool has_feature(std::string_view feature) {
  return find_entry(feature) != nullptr;
}

std::unique_ptr<metrics::PictureScorer> make_picture_scorer(
    const std::shared_ptr<Device>& device, const video::PictureFormat& format,
    const std::vector<std::string_view>& features) {
  return std::make_unique<QpuScorer>(device, format, features);
}

}  // namespace sidecore::qpu
