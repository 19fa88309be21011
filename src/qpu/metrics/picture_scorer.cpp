#include "qpu/metrics/picture_scorer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/thread_pool.h"
#include "metrics/clip_scorer.h"
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

/// A family's requests, its work on the device, and the host kernel for what the device leaves
/// undecided.
struct Family {
  const metrics::FamilyRequests& requests;
  std::unique_ptr<FeatureWork> work;
  metrics::KernelMaker make_host = nullptr;
  HostRecomputation* recomputation = dynamic_cast<HostRecomputation*>(work.get());
  SecondPass* second_pass = dynamic_cast<SecondPass*>(work.get());
  // Host kernel; null until the host's thread needs it.
  std::unique_ptr<metrics::PairKernel> host = nullptr;
};

/// Number of pictures and values that the host recomputed.
struct Recomputed {
  std::uint64_t pictures = 0;
  std::uint64_t values = 0;
};

using metrics::FamilySubset;

BufferRange whole(const std::shared_ptr<Buffer>& buffer) {
  return {buffer.get(), 0, buffer->size()};
}

/// A pair of pictures, the device's results for it, and its command lists. A list is recorded once,
/// and again only if other pairs precede this one than before.
class Pair {
 public:
  // Earlier pairs of the clip, the nearest first.
  using Earlier = std::vector<std::shared_ptr<const Pair>>;

  Pair(Device& device, const video::PictureFormat& format, std::span<const Family> families)
      : reference(device, format), distorted(device, format) {
    for (const Family& family : families) {
      results.push_back(device.create_buffer(family.work->result_bytes()));
    }
  }

  [[nodiscard]] video::Picture& reference_picture() { return reference.picture(); }
  [[nodiscard]] video::Picture& distorted_picture() { return distorted.picture(); }
  [[nodiscard]] CommandList& list(Device& device, std::span<const Family> families,
                                  const Earlier& earlier, FamilySubset subset) {
    std::vector<const DevicePicture*> references;
    references.reserve(earlier.size());
    for (const auto& pair : earlier) references.push_back(&pair->reference);
    Recorded& recorded = subset == FamilySubset::all_families ? all_ : temporal_;
    if (!recorded.list || recorded.earlier != references) {
      recorded = {record(device, families, references, subset), references};
    }
    return *recorded.list;
  }

  DevicePicture reference;
  DevicePicture distorted;
  std::vector<std::shared_ptr<Buffer>> results;  // results of the device, one buffer per family
  std::uint64_t submission = 0;                  // number of the pair's last submission

 private:
  struct Recorded {
    std::unique_ptr<CommandList> list;
    std::vector<const DevicePicture*> earlier;
  };

  std::unique_ptr<CommandList> record(Device& device, std::span<const Family> families,
                                      std::span<const DevicePicture* const> earlier,
                                      FamilySubset subset) {
    const auto takes_part = [&](const Family& family) {
      return subset == FamilySubset::all_families || family.requests.is_temporal();
    };
    auto list = device.create_command_list();
    int planes = 0;
    for (const Family& family : families) {
      if (takes_part(family)) planes = std::max(planes, family.work->planes());
    }
    for (int plane = 0; plane < planes; ++plane) {
      list->upload(reference.plane(plane));
      list->upload(distorted.plane(plane));
    }
    for (std::size_t i = 0; i < families.size(); ++i) {
      if (!takes_part(families[i])) continue;
      const auto nearest = earlier.first(std::min(earlier.size(), families[i].requests.history()));
      record_in_clip(*families[i].work, *list, reference, distorted, nearest, whole(results[i]));
    }
    for (std::size_t i = 0; i < families.size(); ++i) {
      if (takes_part(families[i])) list->download(whole(results[i]));
    }
    list->finish();
    return list;
  }

  Recorded all_;
  Recorded temporal_;
};

/// A slot of the scorer, with the device's and the host's work on its pair.
class Slot : public metrics::ClipSlot<Pair> {
 public:
  void submit(Device& device, std::span<const Family> families, FamilySubset subset) {
    open_.clear();
    family_scores_.resize(families.size());
    for (std::size_t i = 0; i < families.size(); ++i) {
      family_scores_[i].resize(families[i].requests.places.size());
      if (subset == FamilySubset::all_families || families[i].requests.is_temporal())
        open_.push_back(i);
    }
    further_.assign(families.size(), nullptr);
    ticket_ = device.submit(pair->list(device, families, earlier, subset));
    in_flight_ = true;
  }

  /// Waits for the device's values. If some are undecided, submits the device's second pass.
  void finish_values(Device& device, std::span<const Family> families) {
    if (!in_flight_ || second_list_) return;
    wait();
    score(families);
    for (const std::size_t i : open_) {
      if (families[i].second_pass == nullptr) continue;
      SecondPass& work = *families[i].second_pass;
      const std::size_t bytes = work.further_bytes(pair->results[i]->bytes());
      if (bytes == 0) continue;
      if (!second_list_) second_list_ = device.create_command_list();
      further_[i] = device.create_buffer(bytes);
      work.record_further(*second_list_, pair->reference, pair->distorted,
                          pair->results[i]->bytes(), whole(further_[i]));
      second_list_->download(whole(further_[i]));
    }
    if (!second_list_) return;
    second_list_->finish();
    ticket_ = device.submit(*second_list_);
    in_flight_ = true;
  }

  /// Returns true if the device still does the second pass that finish_values() submitted.
  [[nodiscard]] bool is_in_second_pass() const { return in_flight_ && !ticket_.done(); }

  /// Waits for the second pass, then lets the host's thread compute what is still undecided.
  void finish_on_device(std::span<Family> families, ThreadPool& host_thread) {
    if (in_flight_) {
      wait();
      score(families);
      second_list_.reset();
    }
    if (open_.empty() || host_computes_) return;
    host_computes_ = true;
    recomputed_ = {};
    for (const std::size_t i : open_) {
      if (families[i].recomputation != nullptr) ++recomputed_.pictures;
    }
    pending_ = host_thread.start(
        [this, families](std::size_t, ThreadTeam& team) { compute_on_host(families, team); });
  }

  /// Returns true if the host's thread still recomputes a score; call it after finish_on_device().
  /// HostFinishedWork does not count, because it is short: waiting for another slot's device work
  /// would take longer.
  [[nodiscard]] bool host_recomputes() const {
    return host_computes_ && recomputed_.pictures > 0 && !pending_.done();
  }

  /// Returns true if the device's work is done and its results are unread.
  [[nodiscard]] bool is_done_on_device() const { return in_flight_ && ticket_.done(); }

  /// Writes the scores; call it after finish_on_device().
  void finish(std::span<const Family> families, Recomputed& recomputed) {
    if (std::exchange(host_computes_, false)) {
      pending_.wait();
      recomputed.pictures += recomputed_.pictures;
      recomputed.values += recomputed_.values;
      open_.clear();
    }
    for (std::size_t i = 0; i < families.size(); ++i) {
      families[i].requests.place(family_scores_[i], scores);
    }
  }

  void wait() {
    if (std::exchange(in_flight_, false)) ticket_.wait();
  }

 private:
  [[nodiscard]] std::span<const std::byte> further_bytes(std::size_t family) const {
    return further_[family] ? further_[family]->bytes() : std::span<const std::byte>();
  }

  /// Scores all families; in a later pass, only those that were undecided.
  void score(std::span<const Family> families) {
    std::erase_if(open_, [&](std::size_t i) {
      const std::span<const std::byte> results = pair->results[i]->bytes();
      if (!further_[i]) return families[i].work->score(results, family_scores_[i]);
      return families[i].second_pass->score_again(results, further_bytes(i), family_scores_[i]);
    });
  }

  /// Recomputes undecided scores; runs on the host's thread.
  void compute_on_host(std::span<Family> families, ThreadTeam& team) {
    for (const std::size_t i : open_) {
      Family& family = families[i];
      const std::span<const std::byte> results = pair->results[i]->bytes();
      if (!family.host) {
        family.host =
            family.make_host(pair->reference_picture().format(), family.requests.requests, 1);
      }
      if (family.recomputation == nullptr) {
        family.host->finish(results, team, family_scores_[i]);
      } else {
        recomputed_.values += family.recomputation->recompute(
            results, further_bytes(i), pair->reference_picture(), pair->distorted_picture(),
            *family.host, family_scores_[i]);
      }
    }
  }

  Ticket ticket_;
  bool in_flight_ = false;
  std::vector<std::vector<double>> family_scores_;
  std::vector<std::size_t> open_;  // indices of the families without scores yet
  // Command list of the second pass; null unless in flight.
  std::unique_ptr<CommandList> second_list_;
  std::vector<std::shared_ptr<Buffer>>
      further_;  // values of the second pass: one buffer per family, or null
  bool host_computes_ = false;
  ThreadPool::Pending pending_;
  Recomputed recomputed_;  // count for the undecided families; the host's thread writes `values`
};

class QpuScorer final : public metrics::ClipScorer<Slot> {
 public:
  QpuScorer(Device& device, const video::PictureFormat& format,
            std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels)
      : ClipScorer(format, requests), device_(device), format_(format) {
    for (const metrics::FamilyRequests& group : families()) {
      for (const metrics::FeatureRequest& request : group.requests) {
        const std::string text = refusal(request);
        if (!text.empty()) throw Error(ErrorKind::usage, text);
      }
      auto work = find_work(*group.family)->make(device_, format, group.requests);
      host_finishes_ = host_finishes_ || dynamic_cast<HostFinishedWork*>(work.get()) != nullptr;
      families_.push_back({group, std::move(work), host_kernels(*group.family)});
    }
    for (int i = 0; i < kSlots; ++i) {
      Slot& slot = add_slot();
      (void)slot.pair->list(device_, families_, {}, FamilySubset::all_families);
    }
  }

  ~QpuScorer() override {
    for (Slot& slot : all_slots()) {
      try {
        slot.wait();
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
        // The device is lost, so nothing is in flight on it any more.
      }
    }
  }
  QpuScorer(const QpuScorer&) = delete;
  QpuScorer& operator=(const QpuScorer&) = delete;

  [[nodiscard]] bool recomputes(std::size_t number) override {
    Slot& slot = all_slots()[number];
    slot.finish_values(device_, families_);
    if (slot.is_in_second_pass()) return true;
    slot.finish_on_device(families_, host_thread_);
    return slot.host_recomputes();
  }
  [[nodiscard]] std::uint64_t host_recomputations() const override { return recomputed_.pictures; }
  [[nodiscard]] std::uint64_t host_recomputed_values() const override { return recomputed_.values; }

 private:
  // Number of slots: two for pairs in flight, and one for a pair that is being read.
  static constexpr int kSlots = 3;

  std::shared_ptr<Pair> make_pair() override {
    return std::make_shared<Pair>(device_, format_, families_);
  }
  void start(Slot& slot, FamilySubset subset) override { slot.submit(device_, families_, subset); }
  void finish(Slot& slot) override {
    slot.finish_values(device_, families_);
    slot.finish_on_device(families_, host_thread_);
    slot.finish(families_, recomputed_);
    if (host_finishes_) start_host_parts();
  }

  /// Starts the host's part of all slots whose device work is done, so that the host's thread works
  /// while the next pair is read.
  void start_host_parts() {
    for (Slot& slot : all_slots()) {
      if (!slot.is_done_on_device()) continue;
      slot.finish_values(device_, families_);
      if (!slot.is_in_second_pass()) slot.finish_on_device(families_, host_thread_);
    }
  }

  Device& device_;
  video::PictureFormat format_;
  std::vector<Family> families_;
  bool host_finishes_ = false;
  Recomputed recomputed_;
  ThreadPool host_thread_{1};  // the last member, because its thread uses all other members
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
