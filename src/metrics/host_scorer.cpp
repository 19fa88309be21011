#include "metrics/host_scorer.h"

#include <algorithm>
#include <vector>

#include "base/thread_pool.h"

namespace sidecore::metrics {
namespace {

/// All kernels that one thread needs, and the memory between them and a slot.
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

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& rows,
             std::span<double> scores) {
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      kernels_[i]->score(reference, distorted, rows, family_scores_[i]);
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
      slots_.push_back({video::Picture(format), video::Picture(format), std::vector<double>(scores),
                        ThreadPool::Pending()});
    }
  }

  [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
  [[nodiscard]] video::Picture& reference(std::size_t slot) override {
    return slots_[slot].reference;
  }
  [[nodiscard]] video::Picture& distorted(std::size_t slot) override {
    return slots_[slot].distorted;
  }

  void submit(std::size_t slot) override {
    slots_[slot].pending =
        pool_.start([this, &into = slots_[slot]](std::size_t worker, ThreadTeam& rows) {
          scorers_[worker].score(into.reference, into.distorted, rows, into.scores);
        });
  }

  [[nodiscard]] std::span<const double> collect(std::size_t slot) override {
    slots_[slot].pending.wait();
    return slots_[slot].scores;
  }

 private:
  struct Slot {
    video::Picture reference;
    video::Picture distorted;
    std::vector<double> scores;
    ThreadPool::Pending pending;
  };

  std::vector<FamilyRequests> groups_;
  std::vector<Scorer> scorers_;  // one a worker
  std::vector<Slot> slots_;
  ThreadPool pool_;  // last: its threads use all of the above
};

}  // namespace

std::unique_ptr<PictureScorer> make_host_scorer(const video::PictureFormat& format,
                                                std::span<const FeatureRequest> requests,
                                                KernelChoice kernels, std::size_t threads) {
  return std::make_unique<HostScorer>(format, requests, kernels, threads);
}

}  // namespace sidecore::metrics
