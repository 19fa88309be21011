#include "metrics/host_scorer.h"

#include <algorithm>
#include <vector>

#include "base/shared_pool.h"
#include "base/thread_pool.h"
#include "metrics/clip_history.h"

namespace sidecore::metrics {
namespace {

struct HostSlot {
  std::shared_ptr<video::Picture> reference;
  video::Picture distorted;
  std::vector<double> scores;
  ThreadPool::Pending pending;
  /// References of the pictures before this one, the nearest first, and the owners of these
  /// pictures.
  std::vector<const video::Picture*> earlier;
  std::vector<std::shared_ptr<const video::Picture>> kept;
};

/// All kernels that one thread needs, and their buffers for scores.
class Scorer {
 public:
  Scorer(const video::PictureFormat& format, std::span<const FamilyRequests> groups,
         KernelChoice kernels, std::size_t threads)
      : groups_(groups) {
    for (const FamilyRequests& group : groups) {
      kernels_.push_back(kernels(*group.family)(format, group.requests, threads));
      family_scores_.emplace_back(group.places.size());
    }
  }

  /// Scores the pair with the kernels of all families, or of the temporal ones only.
  void score(const HostSlot& slot, ThreadTeam& rows, std::span<double> scores, bool temporal_only) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (temporal_only && !groups_[i].is_temporal()) continue;
      kernels_[i]->score_in_clip(*slot.reference, slot.distorted, slot.earlier, rows,
                                 family_scores_[i]);
      groups_[i].place(family_scores_[i], scores);
    }
  }

 private:
  std::span<const FamilyRequests> groups_;
  std::vector<std::unique_ptr<PairKernel>> kernels_;
  std::vector<std::vector<double>> family_scores_;
};

class HostScorer final : public PictureScorer {
 public:
  HostScorer(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
             KernelChoice kernels, std::size_t threads)
      : groups_(group_by_family(format, requests)), pool_(std::max<std::size_t>(threads, 1)) {
    for (std::size_t worker = 0; worker < pool_.workers(); ++worker) {
      scorers_.emplace_back(format, groups_, kernels, pool_.workers());
    }
    const std::size_t scores = output_names(requests).size();
    for (std::size_t i = 0; i <= pool_.workers(); ++i) {
      slots_.push_back({references_.add(std::make_shared<video::Picture>(format)),
                        video::Picture(format),
                        std::vector<double>(scores),
                        ThreadPool::Pending(),
                        {},
                        {}});
    }
    std::size_t depth = 0;
    for (const FamilyRequests& group : groups_) depth = std::max(depth, group.history());
    history_.set_depth(depth);
  }

  [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
  [[nodiscard]] video::Picture& reference(std::size_t slot) override {
    return *slots_[slot].reference;
  }
  [[nodiscard]] video::Picture& distorted(std::size_t slot) override {
    return slots_[slot].distorted;
  }

  void submit(std::size_t slot) override { start(slots_[slot], false); }
  void pass(std::size_t slot) override { start(slots_[slot], true); }

  [[nodiscard]] std::span<const double> collect(std::size_t number) override {
    HostSlot& slot = slots_[number];
    slot.pending.wait();
    slot.kept.clear();
    // If later pictures still need this reference, the slot's next one uses other memory.
    if (references_.is_held_elsewhere(slot.reference)) slot.reference = unused_reference();
    return slot.scores;
  }

  [[nodiscard]] bool is_temporal() const override {
    return std::ranges::any_of(groups_, &FamilyRequests::is_temporal);
  }
  void finish_clip(std::span<const std::span<double>> columns) override {
    for (const FamilyRequests& group : groups_) group.finish(columns);
    history_.clear();
  }

 private:
  void start(HostSlot& slot, bool temporal_only) {
    slot.kept = history_.earlier();
    slot.earlier.clear();
    for (const auto& picture : slot.kept) slot.earlier.push_back(picture.get());
    slot.pending = pool_.start([this, &slot, temporal_only](std::size_t worker, ThreadTeam& rows) {
      scorers_[worker].score(slot, rows, slot.scores, temporal_only);
    });
    history_.add(slot.reference);
  }

  std::shared_ptr<video::Picture> unused_reference() {
    auto unused = references_.find_free([](const video::Picture&) { return true; });
    if (unused != nullptr) return unused;
    return references_.add(std::make_shared<video::Picture>(slots_.front().distorted.format()));
  }

  std::vector<FamilyRequests> groups_;
  std::vector<Scorer> scorers_;  // one per worker
  std::vector<HostSlot> slots_;
  SharedPool<video::Picture> references_;
  ClipHistory<video::Picture> history_;  // references of the pairs before the next one
  ThreadPool pool_;                      // last, because its threads use all other members
};

}  // namespace

std::unique_ptr<PictureScorer> make_host_scorer(const video::PictureFormat& format,
                                                std::span<const FeatureRequest> requests,
                                                KernelChoice kernels, std::size_t threads) {
  return std::make_unique<HostScorer>(format, requests, kernels, threads);
}

}  // namespace sidecore::metrics
