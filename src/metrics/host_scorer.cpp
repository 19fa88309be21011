#include "metrics/host_scorer.h"

#include <algorithm>
#include <vector>

#include "base/thread_pool.h"
#include "metrics/clip_scorer.h"

namespace sidecore::metrics {
namespace {

struct HostPair {
  explicit HostPair(const video::PictureFormat& format) : reference(format), distorted(format) {}

  [[nodiscard]] video::Picture& reference_picture() { return reference; }
  [[nodiscard]] video::Picture& distorted_picture() { return distorted; }

  video::Picture reference;
  video::Picture distorted;
  std::uint64_t submission = 0;
};

struct HostSlot : ClipSlot<HostPair> {
  ThreadPool::Pending pending;
  std::vector<const video::Picture*> references;  // reference pictures of `earlier`
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

  /// Scores the pair with the kernels of all families, or only of families with temporal features.
  void score(HostSlot& slot, ThreadTeam& rows, FamilySubset subset) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (subset == FamilySubset::temporal_families && !groups_[i].is_temporal()) continue;
      kernels_[i]->score_in_clip(slot.pair->reference, slot.pair->distorted, slot.references, rows,
                                 family_scores_[i]);
      groups_[i].place(family_scores_[i], slot.scores);
    }
  }

 private:
  std::span<const FamilyRequests> groups_;
  std::vector<std::unique_ptr<PairKernel>> kernels_;
  std::vector<std::vector<double>> family_scores_;
};

class HostScorer final : public ClipScorer<HostSlot> {
 public:
  HostScorer(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
             KernelChoice kernels, std::size_t threads)
      : ClipScorer(format, requests), format_(format), pool_(std::max<std::size_t>(threads, 1)) {
    for (std::size_t worker = 0; worker < pool_.workers(); ++worker) {
      scorers_.emplace_back(format, families(), kernels, pool_.workers());
    }
    for (std::size_t i = 0; i <= pool_.workers(); ++i) add_slot();
  }

 private:
  std::shared_ptr<HostPair> make_pair() override { return std::make_shared<HostPair>(format_); }

  void start(HostSlot& slot, FamilySubset subset) override {
    slot.references.clear();
    for (const auto& pair : slot.earlier) slot.references.push_back(&pair->reference);
    slot.pending = pool_.start([this, &slot, subset](std::size_t worker, ThreadTeam& rows) {
      scorers_[worker].score(slot, rows, subset);
    });
  }
  void finish(HostSlot& slot) override { slot.pending.wait(); }

  video::PictureFormat format_;
  std::vector<Scorer> scorers_;  // kernels, one element per worker
  ThreadPool pool_;              // the last member, because its threads use all other members
};

}  // namespace

std::unique_ptr<PictureScorer> make_host_scorer(const video::PictureFormat& format,
                                                std::span<const FeatureRequest> requests,
                                                KernelChoice kernels, std::size_t threads) {
  return std::make_unique<HostScorer>(format, requests, kernels, threads);
}

}  // namespace sidecore::metrics
