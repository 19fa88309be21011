// Runs clips through the slots of a scorer. An implementation only starts and finishes pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/shared_pool.h"
#include "metrics/feature_family.h"
#include "metrics/picture_scorer.h"

namespace sidecore::metrics {

/// Families whose values are computed for a pair: all, or only those of temporal features.
enum class FamilySubset : std::uint8_t { all_families, temporal_families };

/// A slot's pair and its scores. Implementations derive their slots from it.
template <class PairType>
struct ClipSlot {
  using Pair = PairType;

  std::shared_ptr<Pair> pair;
  /// Earlier pairs while the slot is in flight, the nearest first.
  std::vector<std::shared_ptr<const Pair>> earlier;
  std::vector<double> scores;
};

/// The part of a scorer that all implementations share. It keeps each pair as long as later pairs
/// of the clip need it. A `Slot::Pair` has `reference_picture()`, `distorted_picture()` and
/// `submission`, the number of its last submission.
template <class Slot>
class ClipScorer : public PictureScorer {
 public:
  [[nodiscard]] std::size_t slots() const final { return slots_.size(); }
  [[nodiscard]] video::Picture& reference(std::size_t slot) final {
    return slots_[slot].pair->reference_picture();
  }
  [[nodiscard]] video::Picture& distorted(std::size_t slot) final {
    return slots_[slot].pair->distorted_picture();
  }
  void submit(std::size_t slot) final { submit(slots_[slot], FamilySubset::all_families); }
  void pass(std::size_t slot) final { submit(slots_[slot], FamilySubset::temporal_families); }
  [[nodiscard]] std::span<const double> collect(std::size_t number) final {
    Slot& slot = slots_[number];
    finish(slot);
    slot.earlier.clear();
    // If later pairs still need this pair, the next pair uses other memory.
    if (pairs_.is_held_elsewhere(slot.pair)) slot.pair = unused_pair();
    return slot.scores;
  }

  [[nodiscard]] bool is_temporal() const final {
    return std::ranges::any_of(families_, &FamilyRequests::is_temporal);
  }
  void finish_clip(std::span<const std::span<double>> columns) final {
    for (const FamilyRequests& family : families_) family.finish(columns);
    history_.clear();
  }

 protected:
  using Pair = typename Slot::Pair;

  /// Creates a scorer. Throws Error (usage) as group_by_family() does.
  ClipScorer(const video::PictureFormat& format, std::span<const FeatureRequest> requests)
      : families_(group_by_family(format, requests)), score_count_(output_names(requests).size()) {
    for (const FamilyRequests& family : families_) depth_ = std::max(depth_, family.history());
  }

  [[nodiscard]] const std::vector<FamilyRequests>& families() const { return families_; }
  [[nodiscard]] std::deque<Slot>& all_slots() { return slots_; }
  Slot& add_slot() {
    Slot& slot = slots_.emplace_back();
    slot.pair = pairs_.add(make_pair());
    slot.scores.resize(score_count_);
    return slot;
  }

 private:
  virtual std::shared_ptr<Pair> make_pair() = 0;
  /// Starts computing the slot's scores. Throws Error (environment).
  virtual void start(Slot& slot, FamilySubset subset) = 0;
  /// Waits until `slot.scores` are written. Throws Error (environment).
  virtual void finish(Slot& slot) = 0;

  void submit(Slot& slot, FamilySubset subset) {
    slot.pair->submission = ++submissions_;
    slot.earlier = history_;
    start(slot, subset);
    if (depth_ == 0) return;
    if (history_.size() == depth_) history_.pop_back();
    history_.insert(history_.begin(), slot.pair);
  }

  /// Returns the pair that has been unused longest, so that pairs are reused in a cycle and each
  /// pair always follows the same other pairs.
  std::shared_ptr<Pair> unused_pair() {
    auto unused = pairs_.first_free(
        [](const Pair& pair, const Pair& other) { return pair.submission < other.submission; });
    return unused == nullptr ? pairs_.add(make_pair()) : unused;
  }

  std::vector<FamilyRequests> families_;
  std::size_t score_count_;
  std::size_t depth_ = 0;  ///< largest number of earlier pairs that a feature needs
  SharedPool<Pair> pairs_;
  std::vector<std::shared_ptr<const Pair>> history_;  ///< pairs before the next pair, nearest first
  std::uint64_t submissions_ = 0;
  std::deque<Slot> slots_;
};

}  // namespace sidecore::metrics
