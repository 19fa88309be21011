#include "qpu/metrics/picture_scorer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/shared_pool.h"
#include "base/thread_pool.h"
#include "metrics/clip_history.h"
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
  metrics::FamilyRequests requests;
  std::unique_ptr<FeatureWork> work;
  metrics::KernelMaker make_host = nullptr;
  std::unique_ptr<metrics::PairKernel> host = nullptr;  // null until the host's thread needs it
};

/// Number of pictures and values that the host recomputed.
struct Recomputed {
  std::uint64_t pictures = 0;
  std::uint64_t values = 0;
};

/// Families whose work a command list has.
enum class Share : std::uint8_t { all_families, temporal_families };

BufferRange whole(const std::shared_ptr<Buffer>& buffer) {
  return {buffer.get(), 0, buffer->size()};
}

/// A pair of pictures, the device's results for it, and its command lists. A list is recorded once,
/// and again only if other pairs precede this one than before.
class Pair {
 public:
  using Earlier = metrics::ClipHistory<Pair>::Pictures;  // the nearest first

  Pair(Device& device, const video::PictureFormat& format, std::span<const Family> families)
      : reference(device, format), distorted(device, format) {
    for (const Family& family : families) {
      results.push_back(device.create_buffer(family.work->result_bytes()));
    }
  }

  [[nodiscard]] CommandList& list(Device& device, std::span<const Family> families,
                                  const Earlier& earlier, Share share) {
    std::vector<const DevicePicture*> references;
    references.reserve(earlier.size());
    for (const auto& pair : earlier) references.push_back(&pair->reference);
    Recorded& recorded = share == Share::all_families ? all_ : temporal_;
    if (!recorded.list || recorded.earlier != references) {
      recorded = {record(device, families, references, share), references};
    }
    return *recorded.list;
  }

  DevicePicture reference;
  DevicePicture distorted;
  std::vector<std::shared_ptr<Buffer>> results;  // one per family
  std::uint64_t submission = 0;                  // number of its last submission

 private:
  struct Recorded {
    std::unique_ptr<CommandList> list;
    std::vector<const DevicePicture*> earlier;
  };

  std::unique_ptr<CommandList> record(Device& device, std::span<const Family> families,
                                      std::span<const DevicePicture* const> earlier, Share share) {
    const auto takes_part = [&](const Family& family) {
      return share == Share::all_families || family.requests.is_temporal();
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
      families[i].work->record_in_clip(*list, reference, distorted, nearest, whole(results[i]));
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

/// A pair of pictures in flight. It keeps the pair and those before it until its scores are
/// collected.
class Slot {
 public:
  Slot(std::shared_ptr<Pair> pair, std::span<const Family> families) : pair_(std::move(pair)) {
    std::size_t scores = 0;
    for (const Family& family : families) {
      family_scores_.emplace_back(family.requests.places.size());
      scores += family.requests.places.size();
    }
    scores_.resize(scores);
  }

  [[nodiscard]] const std::shared_ptr<Pair>& pair() const { return pair_; }
  /// Sets the next pair to be read and submitted.
  void take(std::shared_ptr<Pair> pair) { pair_ = std::move(pair); }

  void submit(Device& device, std::span<const Family> families, Pair::Earlier earlier,
              Share share) {
    open_.clear();
    for (std::size_t i = 0; i < families.size(); ++i) {
      if (share == Share::all_families || families[i].requests.is_temporal()) open_.push_back(i);
    }
    settling_.clear();
    earlier_ = std::move(earlier);
    ticket_ = device.submit(pair_->list(device, families, earlier_, share));
    in_flight_ = true;
  }

  /// Waits for the device's values. If some are undecided, submits the device's further work on
  /// them.
  void finish_values(Device& device, std::span<Family> families) {
    if (!in_flight_ || settling_list_) return;
    wait();
    score(families);
    std::vector<std::shared_ptr<Buffer>> buffers(families.size());
    for (const std::size_t i : open_) {
      FeatureWork& work = *families[i].work;
      const std::size_t bytes = work.settling_bytes(pair_->results[i]->bytes());
      if (bytes == 0) continue;
      if (!settling_list_) settling_list_ = device.create_command_list();
      buffers[i] = device.create_buffer(bytes);
      work.record_settling(*settling_list_, pair_->reference, pair_->distorted,
                           pair_->results[i]->bytes(), whole(buffers[i]));
      settling_list_->download(whole(buffers[i]));
    }
    settling_ = std::move(buffers);
    if (!settling_list_) return;
    settling_list_->finish();
    ticket_ = device.submit(*settling_list_);
    in_flight_ = true;
  }

  /// Returns true if the device still does the further work that finish_values() submitted.
  [[nodiscard]] bool device_settles() const { return in_flight_ && !ticket_.done(); }

  /// Waits for this work, then lets the host's thread compute what is still undecided.
  void finish_on_device(std::span<Family> families, ThreadPool& host_thread) {
    if (in_flight_) {
      wait();
      score(families);
      settling_list_.reset();
    }
    if (open_.empty() || host_settles_) return;
    host_settles_ = true;
    recomputed_ = {};
    for (const std::size_t i : open_) {
      if (!families[i].work->host_finishes()) ++recomputed_.pictures;
    }
    pending_ = host_thread.start([this, families](std::size_t, ThreadTeam&) { settle(families); });
  }

  /// Returns true if the host's thread still recomputes a score; call it after finish_on_device().
  /// Work that the host does for every pair is short, so it does not count: waiting for another
  /// slot's device work would take longer.
  [[nodiscard]] bool host_settles() const {
    return host_settles_ && recomputed_.pictures > 0 && !pending_.done();
  }

  /// Returns true if the device's work is done and its results are unread.
  [[nodiscard]] bool is_done_on_device() const { return in_flight_ && ticket_.done(); }

  /// Returns the scores; call it after finish_on_device().
  std::span<const double> collect(std::span<const Family> families, Recomputed& recomputed) {
    if (std::exchange(host_settles_, false)) {
      pending_.wait();
      recomputed.pictures += recomputed_.pictures;
      recomputed.values += recomputed_.values;
      open_.clear();
    }
    for (std::size_t i = 0; i < families.size(); ++i) {
      families[i].requests.place(family_scores_[i], scores_);
    }
    earlier_.clear();
    return scores_;
  }

  void wait() {
    if (std::exchange(in_flight_, false)) ticket_.wait();
  }

 private:
  [[nodiscard]] std::span<const std::byte> settling_bytes(std::size_t family) const {
    const bool any = family < settling_.size() && settling_[family] != nullptr;
    return any ? settling_[family]->bytes() : std::span<const std::byte>();
  }

  /// Scores all families, or those that were undecided.
  void score(std::span<const Family> families) {
    const auto settled = [&](std::size_t i) {
      return families[i].work->score(pair_->results[i]->bytes(), settling_bytes(i),
                                     family_scores_[i]);
    };
    std::erase_if(open_, settled);
  }

  /// Runs on the host's thread.
  void settle(std::span<Family> families) {
    for (const std::size_t i : open_) {
      auto& [requests, work, make_host, host] = families[i];
      if (!host) host = make_host(pair_->reference.picture().format(), requests.requests, 1);
      const std::uint64_t values =
          work->settle(pair_->results[i]->bytes(), settling_bytes(i), pair_->reference.picture(),
                       pair_->distorted.picture(), *host, family_scores_[i]);
      if (!work->host_finishes()) recomputed_.values += values;
    }
  }

  std::shared_ptr<Pair> pair_;
  Pair::Earlier earlier_;  // pairs before the one in flight
  Ticket ticket_;
  bool in_flight_ = false;
  std::vector<std::vector<double>> family_scores_;
  std::vector<std::size_t> open_;               // families without scores yet
  std::unique_ptr<CommandList> settling_list_;  // null unless in flight
  // buffers that it writes: one per family, or null
  std::vector<std::shared_ptr<Buffer>> settling_;
  bool host_settles_ = false;
  ThreadPool::Pending pending_;
  Recomputed recomputed_;  // for the undecided families; the host's thread writes `values`
  std::vector<double> scores_;
};

class QpuScorer final : public metrics::PictureScorer {
 public:
  QpuScorer(Device& device, const video::PictureFormat& format,
            std::span<const metrics::FeatureRequest> requests, metrics::KernelChoice host_kernels)
      : device_(device), format_(format) {
    for (metrics::FamilyRequests& group : metrics::group_by_family(format, requests)) {
      for (const metrics::FeatureRequest& request : group.requests) {
        const std::string text = refusal(request);
        if (!text.empty()) throw Error(ErrorKind::usage, text);
      }
      auto work = find_work(*group.family)->make(device_, format, group.requests);
      const metrics::KernelMaker make_host = host_kernels(*group.family);
      families_.push_back({std::move(group), std::move(work), make_host});
    }
    std::size_t depth = 0;
    for (const Family& family : families_) {
      depth = std::max(depth, family.requests.history());
      host_finishes_ = host_finishes_ || family.work->host_finishes();
    }
    history_.set_depth(depth);
    for (int i = 0; i < kSlots; ++i) {
      slots_.push_back(std::make_unique<Slot>(new_pair(), families_));
      (void)slots_.back()->pair()->list(device_, families_, {}, Share::all_families);
    }
  }

  ~QpuScorer() override {
    for (const auto& slot : slots_) {
      try {
        slot->wait();
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch)
        // The device is lost, so nothing is in flight on it any more.
      }
    }
  }
  QpuScorer(const QpuScorer&) = delete;
  QpuScorer& operator=(const QpuScorer&) = delete;

  [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
  [[nodiscard]] video::Picture& reference(std::size_t slot) override {
    return slots_[slot]->pair()->reference.picture();
  }
  [[nodiscard]] video::Picture& distorted(std::size_t slot) override {
    return slots_[slot]->pair()->distorted.picture();
  }
  void submit(std::size_t slot) override { submit(*slots_[slot], Share::all_families); }
  void pass(std::size_t slot) override { submit(*slots_[slot], Share::temporal_families); }
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
    const std::span<const double> scores = slot.collect(families_, recomputed_);
    start_host_parts();
    // If later pairs still need this one, the next pair uses other memory.
    if (pairs_.is_held_elsewhere(slot.pair())) slot.take(unused_pair());
    return scores;
  }

  [[nodiscard]] bool is_temporal() const override {
    return std::ranges::any_of(families_,
                               [](const Family& family) { return family.requests.is_temporal(); });
  }
  void finish_clip(std::span<const std::span<double>> columns) override {
    for (const Family& family : families_) family.requests.finish(columns);
    history_.clear();
  }

  [[nodiscard]] std::uint64_t host_recomputations() const override { return recomputed_.pictures; }
  [[nodiscard]] std::uint64_t host_recomputed_values() const override { return recomputed_.values; }

 private:
  // Two pairs in flight, and a third that is read.
  static constexpr int kSlots = 3;

  void submit(Slot& slot, Share share) {
    slot.pair()->submission = ++submissions_;
    slot.submit(device_, families_, history_.earlier(), share);
    history_.add(slot.pair());
  }

  /// Starts the host's part of all slots whose device work is done, so that the host's thread works
  /// while the next pair is read.
  void start_host_parts() {
    if (!host_finishes_) return;
    for (const auto& slot : slots_) {
      if (!slot->is_done_on_device()) continue;
      slot->finish_values(device_, families_);
      if (!slot->device_settles()) slot->finish_on_device(families_, host_thread_);
    }
  }

  std::shared_ptr<Pair> new_pair() {
    return pairs_.add(std::make_shared<Pair>(device_, format_, families_));
  }

  /// Returns the pair that has been unused longest, so that pairs are reused in a cycle and each
  /// follows the same ones.
  std::shared_ptr<Pair> unused_pair() {
    auto unused = pairs_.first_free(
        [](const Pair& pair, const Pair& other) { return pair.submission < other.submission; });
    return unused == nullptr ? new_pair() : unused;
  }

  Device& device_;
  video::PictureFormat format_;
  std::vector<Family> families_;
  bool host_finishes_ = false;
  SharedPool<Pair> pairs_;
  metrics::ClipHistory<Pair> history_;  // pairs before the next one
  std::uint64_t submissions_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
  Recomputed recomputed_;
  ThreadPool host_thread_{1};  // last, because it uses all other members
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
