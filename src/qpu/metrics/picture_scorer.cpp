#include "qpu/metrics/picture_scorer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "metrics/feature_family.h"
#include "metrics/worker_pool.h"
#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/metrics/feature_work.h"

namespace sidecore::qpu {
namespace {

const FamilyWork* find_work(const metrics::FeatureFamily& family) {
  const auto works = family_works();
  const auto found = std::ranges::find(works, &family, &FamilyWork::family);
  return found == works.end() ? nullptr : &*found;
}

/// A family's requests, its work on the device, and who settles what that leaves open.
struct Family {
  metrics::FamilyRequests requests;
  std::unique_ptr<FeatureWork> work;
  metrics::KernelMaker make_host = nullptr;
  std::unique_ptr<metrics::PairKernel> host = nullptr;  // null until the host's thread needs it
};

/// What the host computed again.
struct Recomputed {
  std::uint64_t pictures = 0;
  std::uint64_t values = 0;
};

/// A pair of pictures and all the work on them, recorded once.
class Slot {
 public:
  Slot(const std::shared_ptr<Device>& device, const video::PictureFormat& format,
       std::span<const Family> families)
      : reference_(*device, format),
        distorted_(*device, format),
        list_(device->create_command_list()) {
    upload(families);
    std::size_t scores = 0;
    for (const Family& family : families) {
      results_.push_back(device->create_buffer(family.work->result_bytes()));
      family.work->record(*list_, reference_, distorted_, whole(results_.back()));
      family_scores_.emplace_back(family.requests.places.size());
      scores += family.requests.places.size();
    }
    for (const auto& results : results_) list_->download(whole(results));
    list_->finish();
    scores_.resize(scores);
  }

  [[nodiscard]] video::Picture& reference() { return reference_.picture(); }
  [[nodiscard]] video::Picture& distorted() { return distorted_.picture(); }

  void submit(Device& device) {
    ticket_ = device.submit(*list_);
    in_flight_ = true;
  }

  /// Waits for the device, and starts on the host's thread what that leaves open.
  void finish_on_device(std::span<Family> families, metrics::WorkerPool& host_thread) {
    if (!in_flight_) return;
    wait();
    open_.clear();
    for (std::size_t i = 0; i < families.size(); ++i) {
      if (!families[i].work->score(results_[i]->bytes(), family_scores_[i])) open_.push_back(i);
    }
    if (open_.empty()) return;
    pending_ =
        host_thread.start([this, families](std::size_t, metrics::RowTeam&) { settle(families); });
  }

  /// Whether the host's thread still works on it, once finish_on_device() has returned.
  [[nodiscard]] bool recomputes() const { return !open_.empty() && !pending_.done(); }

  /// Once finish_on_device() has returned.
  std::span<const double> collect(std::span<const Family> families, Recomputed& recomputed) {
    if (!open_.empty()) {
      pending_.wait();
      recomputed.pictures += open_.size();
      recomputed.values += settled_values_;
      open_.clear();
    }
    for (std::size_t i = 0; i < families.size(); ++i) {
      families[i].requests.place(family_scores_[i], scores_);
    }
    return scores_;
  }

  void wait() {
    if (std::exchange(in_flight_, false)) ticket_.wait();
  }

 private:
  static BufferRange whole(const std::shared_ptr<Buffer>& buffer) {
    return {buffer.get(), 0, buffer->size()};
  }

  /// On the host's thread.
  void settle(std::span<Family> families) {
    settled_values_ = 0;
    for (const std::size_t i : open_) {
      auto& [requests, work, make_host, host] = families[i];
      if (!host) host = make_host(reference_.picture().format(), requests.requests, 1);
      settled_values_ += work->settle(results_[i]->bytes(), reference_.picture(),
                                      distorted_.picture(), *host, family_scores_[i]);
    }
  }

  void upload(std::span<const Family> families) {
    int planes = 0;
    for (const Family& family : families) planes = std::max(planes, family.work->planes());
    for (int plane = 0; plane < planes; ++plane) {
      list_->upload(reference_.plane(plane));
      list_->upload(distorted_.plane(plane));
    }
  }

  DevicePicture reference_;
  DevicePicture distorted_;
  std::vector<std::shared_ptr<Buffer>> results_;  // one a family
  std::unique_ptr<CommandList> list_;
  Ticket ticket_;
  bool in_flight_ = false;
  std::vector<std::vector<double>> family_scores_;
  std::vector<std::size_t> open_;  // families that the device left open
  metrics::WorkerPool::Pending pending_;
  std::uint64_t settled_values_ = 0;
  std::vector<double> scores_;
};

class QpuScorer final : public metrics::PictureScorer {
 public:
  QpuScorer(std::shared_ptr<Device> device, const video::PictureFormat& format,
            std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels)
      : device_(std::move(device)) {
    for (metrics::FamilyRequests& group : metrics::group_by_family(format, requests)) {
      for (const metrics::FeatureRequest& request : group.requests) {
        const std::string text = refusal(request);
        if (!text.empty()) throw Error(ErrorKind::usage, text);
      }
      auto work = find_work(*group.family)->make(device_, format, group.requests);
      const metrics::KernelMaker make_host = host_kernels(*group.family);
      families_.push_back({std::move(group), std::move(work), make_host});
    }
    for (int i = 0; i < kSlots; ++i) {
      slots_.push_back(std::make_unique<Slot>(device_, format, families_));
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
  [[nodiscard]] bool recomputes(std::size_t slot) override {
    slots_[slot]->finish_on_device(families_, host_thread_);
    return slots_[slot]->recomputes();
  }
  [[nodiscard]] std::span<const double> collect(std::size_t slot) override {
    slots_[slot]->finish_on_device(families_, host_thread_);
    return slots_[slot]->collect(families_, recomputed_);
  }
  [[nodiscard]] std::uint64_t host_recomputations() const override { return recomputed_.pictures; }
  [[nodiscard]] std::uint64_t host_recomputed_values() const override { return recomputed_.values; }

 private:
  // Two pairs in flight, and a third being read.
  static constexpr int kSlots = 3;

  std::shared_ptr<Device> device_;
  std::vector<Family> families_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Recomputed recomputed_;
  metrics::WorkerPool host_thread_{1};  // last: it uses all of the above
};

}  // namespace

std::string refusal(const metrics::FeatureRequest& request) {
  const FamilyWork* const work = find_work(metrics::family_of(*request.feature));
  if (work == nullptr) return fmt::format("feature {} has no shader", request.feature->name);
  return work->refusal == nullptr ? std::string() : work->refusal(request);
}

std::unique_ptr<metrics::PictureScorer> make_picture_scorer(
    const std::shared_ptr<Device>& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels) {
  return std::make_unique<QpuScorer>(device, format, requests, host_kernels);
}

}  // namespace sidecore::qpu
