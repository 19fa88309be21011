#include "metrics/picture_scorer.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sidecore::metrics {
namespace {

void copy(const video::Picture& from, video::Picture& to) {
  assert(from.format() == to.format());
  std::ranges::copy(from.bytes(), to.bytes().begin());
}

class JointScorer final : public PictureScorer {
 public:
  explicit JointScorer(std::vector<std::unique_ptr<PictureScorer>> scorers)
      : scorers_(std::move(scorers)) {
    assert(!scorers_.empty());
    const auto fewest =
        std::ranges::min_element(scorers_, {}, [](const auto& scorer) { return scorer->slots(); });
    slots_ = (*fewest)->slots();
  }

  [[nodiscard]] std::size_t slots() const override { return slots_; }
  [[nodiscard]] video::Picture& reference(std::size_t slot) override {
    return scorers_.front()->reference(slot);
  }
  [[nodiscard]] video::Picture& distorted(std::size_t slot) override {
    return scorers_.front()->distorted(slot);
  }

  void submit(std::size_t slot) override {
    copy_pictures(slot);
    for (const auto& scorer : scorers_) scorer->submit(slot);
  }
  void pass(std::size_t slot) override {
    copy_pictures(slot);
    for (const auto& scorer : scorers_) scorer->pass(slot);
  }

  [[nodiscard]] bool recomputes(std::size_t slot) override {
    return std::ranges::any_of(scorers_,
                               [&](const auto& scorer) { return scorer->recomputes(slot); });
  }
  [[nodiscard]] std::span<const double> collect(std::size_t slot) override {
    scores_.clear();
    first_scores_.clear();
    for (const auto& scorer : scorers_) {
      first_scores_.push_back(scores_.size());
      const std::span<const double> scores = scorer->collect(slot);
      scores_.insert(scores_.end(), scores.begin(), scores.end());
    }
    return scores_;
  }

  [[nodiscard]] bool is_temporal() const override {
    return std::ranges::any_of(scorers_, [](const auto& scorer) { return scorer->is_temporal(); });
  }
  void finish_clip(std::span<const std::span<double>> columns) override {
    for (std::size_t i = first_scores_.size(); i-- > 0;) {
      scorers_[i]->finish_clip(columns.subspan(first_scores_[i]));
      columns = columns.first(first_scores_[i]);
    }
  }

 private:
  void copy_pictures(std::size_t slot) {
    for (std::size_t i = 1; i < scorers_.size(); ++i) {
      copy(reference(slot), scorers_[i]->reference(slot));
      copy(distorted(slot), scorers_[i]->distorted(slot));
    }
  }

  std::vector<std::unique_ptr<PictureScorer>> scorers_;
  std::size_t slots_ = 0;
  std::vector<double> scores_;
  std::vector<std::size_t> first_scores_;  // index of each scorer's first score among all scores
};

}  // namespace

std::unique_ptr<PictureScorer> make_joint_scorer(
    std::vector<std::unique_ptr<PictureScorer>> scorers) {
  return std::make_unique<JointScorer>(std::move(scorers));
}

}  // namespace sidecore::metrics
