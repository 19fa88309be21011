#include "qpu/metrics/picture_scorer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/thread_pool.h"
#include "metrics/feature_family.h"
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
  Slot(Device& device, const video::PictureFormat& format, std::span<const Family> families)
      : reference_(device, format),
        distorted_(device, format),
        list_(device.create_command_list()) {
    upload(families);
    std::size_t scores = 0;
    for (const Family& family : families) {
      results_.push_back(device.create_buffer(family.work->result_bytes()));
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
    open_.resize(family_scores_.size());
    std::iota(open_.begin(), open_.end(), std::size_t{0});
    settling_.clear();
    ticket_ = device.submit(*list_);
    in_flight_ = true;
  }

  /// Waits for the device's values. Where they leave something open, has the device say more.
  void finish_values(Device& device, std::span<Family> families) {
    if (!in_flight_ || settling_list_) return;
    wait();
    score(families);
    std::vector<std::shared_ptr<Buffer>> buffers(families.size());
    for (const std::size_t i : open_) {
      FeatureWork& work = *families[i].work;
      const std::size_t bytes = work.settling_bytes(results_[i]->bytes());
      if (bytes == 0) continue;
      if (!settling_list_) settling_list_ = device.create_command_list();
      buffers[i] = device.create_buffer(bytes);
      work.record_settling(*settling_list_, reference_, distorted_, results_[i]->bytes(),
                           whole(buffers[i]));
      settling_list_->download(whole(buffers[i]));
    }
    settling_ = std::move(buffers);
    if (!settling_list_) return;
    settling_list_->finish();
    ticket_ = device.submit(*settling_list_);
    in_flight_ = true;
  }

  /// Whether the device has more to say, after finish_values().
  [[nodiscard]] bool device_settles() const { return in_flight_ && !ticket_.done(); }

  /// Waits for that, and starts on the host's thread what is open all the same.
  void finish_on_device(std::span<Family> families, ThreadPool& host_thread) {
    if (in_flight_) {
      wait();
      score(families);
      settling_list_.reset();
    }
    if (open_.empty() || host_settles_) return;
    host_settles_ = true;
    pending_ = host_thread.start([this, families](std::size_t, ThreadTeam&) { settle(families); });
  }

  /// Whether the host's thread still works on it, once finish_on_device() has returned.
  [[nodiscard]] bool host_settles() const { return host_settles_ && !pending_.done(); }

  /// Once finish_on_device() has returned.
  std::span<const double> collect(std::span<const Family> families, Recomputed& recomputed) {
    if (std::exchange(host_settles_, false)) {
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

  [[nodiscard]] std::span<const std::byte> settling_bytes(std::size_t family) const {
    const bool any = family < settling_.size() && settling_[family] != nullptr;
    return any ? settling_[family]->bytes() : std::span<const std::byte>();
  }

  /// Of all families, or of those that were open.
  void score(std::span<const Family> families) {
    const auto settled = [&](std::size_t i) {
      return families[i].work->score(results_[i]->bytes(), settling_bytes(i), family_scores_[i]);
    };
    std::erase_if(open_, settled);
  }

  /// On the host's thread.
  void settle(std::span<Family> families) {
    settled_values_ = 0;
    for (const std::size_t i : open_) {
      auto& [requests, work, make_host, host] = families[i];
      if (!host) host = make_host(reference_.picture().format(), requests.requests, 1);
      settled_values_ += work->settle(results_[i]->bytes(), settling_bytes(i), reference_.picture(),
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
  std::vector<std::size_t> open_;                  // families without scores yet
  std::unique_ptr<CommandList> settling_list_;     // while it is in flight
  std::vector<std::shared_ptr<Buffer>> settling_;  // what it writes: one a family, or null
  bool host_settles_ = false;
  ThreadPool::Pending pending_;
  std::uint64_t settled_values_ = 0;
  std::vector<double> scores_;
};

class QpuScorer final : public metrics::PictureScorer {
 public:
  QpuScorer(Device& device, const video::PictureFormat& format,
            std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels)
      : device_(device) {
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
  void submit(std::size_t slot) override { slots_[slot]->submit(device_); }
  [[nodiscard]] bool recomputes(std::size_t number) override {
    Slot& slot = *slots_[number];
    slot.finish_values(device_, families_);
    if (slot.device_settles()) return true;
    slot.finish_on_device(families_, host_thread_);
    return slot.host_settles();
  }
  [[nodiscard]] std::span<const double> collect(std::size_t number) override {
    Slot& slot = *slots_[number];
    slot.finish_values(device_, families_);
    slot.finish_on_device(families_, host_thread_);
    return slot.collect(families_, recomputed_);
  }
  [[nodiscard]] std::uint64_t host_recomputations() const override { return recomputed_.pictures; }
  [[nodiscard]] std::uint64_t host_recomputed_values() const override { return recomputed_.values; }

 private:
  // Two pairs in flight, and a third being read.
  static constexpr int kSlots = 3;

  Device& device_;
  std::vector<Family> families_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Recomputed recomputed_;
  ThreadPool host_thread_{1};  // last: it uses all of the above
};

}  // namespace

std::string refusal(const metrics::FeatureRequest& request) {
  const FamilyWork* const work = find_work(metrics::family_of(*request.feature));
  if (work == nullptr) return fmt::format("feature {} has no shader", request.feature->name);
  return work->refusal == nullptr ? std::string() : work->refusal(request);
}

std::unique_ptr<metrics::PictureScorer> make_picture_scorer(
    Device& device, const video::PictureFormat& format,
    std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels) {
  return std::make_unique<QpuScorer>(device, format, requests, host_kernels);
}

}  // namespace sidecore::qpu
