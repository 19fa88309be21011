// Scores pairs of pictures in any order of indices, on the processor that the settings choose.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "libvmaf/feature_options.h"
#include "libvmaf/picture.h"
#include "libvmaf/psnr_total.h"
#include "libvmaf/score_store.h"
#include "metrics/feature.h"
#include "metrics/picture_scorer.h"
#include "players/settings.h"
#include "qpu/device.h"
#include "video/picture.h"

namespace sidecore::libvmaf {

/// Features that one scorer computes.
class FeatureGroup {
 public:
  FeatureGroup(std::span<const RequestedFeature> features,
               std::unique_ptr<metrics::PictureScorer> scorer);

  /// Copies a pair into the next slot, and stores the scores of the pair that had the slot. If
  /// `is_scored` is false, only features that compare neighbouring pictures use the pair. Throws
  /// Error (usage) if a sample has too many bits; the slot is then prepared again for another pair.
  void prepare(const VmafPicture& reference, const VmafPicture& distorted, unsigned index,
               bool is_scored, ScoreStore& scores);
  /// Starts to score the pair that prepare() copied.
  void submit(unsigned index, bool is_scored);
  /// Waits for all pairs and stores their scores.
  void collect(ScoreStore& scores);
  /// Stores the scores of features that compare neighbouring pictures. No pair may be in flight.
  void finish(ScoreStore& scores);

 private:
  struct Pair {
    unsigned index = 0;
    bool is_scored = false;
  };
  struct Output {
    std::string name;
    bool is_temporal = false;  ///< the scorer's value becomes a score in finish()
    bool is_hidden = false;    ///< the value is no score
  };

  void add_outputs(const RequestedFeature& feature);
  void collect_oldest(ScoreStore& scores);
  /// Returns true if the group also needs pairs that are not scored.
  [[nodiscard]] bool needs_all_pairs() const { return total_ || scorer_->is_temporal(); }

  std::unique_ptr<metrics::PictureScorer> scorer_;
  std::vector<Output> outputs_;
  std::optional<PsnrTotal> total_;
  std::vector<std::size_t> errors_of_total_;  ///< outputs that total_ adds
  std::uint64_t pushed_ = 0;  ///< number of pushed pairs; pair n uses slot n % slots()
  std::deque<Pair> in_flight_;
  std::map<unsigned, std::vector<double>> values_;  ///< values of temporal scorers, by index
  bool failed_ = false;  ///< true after a failure that leaves the scorer's slots unknown
};

/// All features of a context.
class PairScoring {
 public:
  /// Scores on the CPU with `threads` threads, or on the device that `settings` names.
  PairScoring(const players::Settings& settings, unsigned threads, unsigned subsample)
      : settings_(settings), threads_(threads), subsample_(subsample) {}

  /// Registers a feature, unless a feature that writes scores of the same names is registered.
  /// Pictures that were read before get no scores of it.
  void add(const RequestedFeature& feature);

  /// Starts to score a pair. Throws Error (usage) if a feature is not defined for the pictures, if
  /// the index cannot be scored, or if a sample that a feature reads has too many bits; such a pair
  /// changes no score.
  void push(const VmafPicture& reference, const VmafPicture& distorted, unsigned index,
            ScoreStore& scores);
  /// Waits for all pairs and stores their scores.
  void collect(ScoreStore& scores);
  /// Ends the clip.
  void finish(ScoreStore& scores);

  /// Returns true if no feature is registered.
  [[nodiscard]] bool is_empty() const { return features_.empty(); }
  /// Returns the format of the accepted pairs; empty before the first.
  [[nodiscard]] const std::optional<video::PictureFormat>& format() const { return format_; }

 private:
  void check(const video::PictureFormat& format, unsigned index) const;
  void start_new_features();
  [[nodiscard]] FeatureGroup make_group(std::span<const RequestedFeature> features,
                                        bool on_device) const;
  [[nodiscard]] bool opens_device();

  players::Settings settings_;
  unsigned threads_;
  unsigned subsample_;
  std::optional<video::PictureFormat> format_;
  std::vector<RequestedFeature> features_;
  std::size_t started_ = 0;  ///< number of features that groups compute
  std::unique_ptr<qpu::Device> device_;
  std::vector<FeatureGroup> groups_;
  std::set<unsigned> indices_;  ///< indices of all pairs
};

}  // namespace sidecore::libvmaf
