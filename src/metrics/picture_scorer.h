// What computes scores of picture pairs, several pairs in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "video/picture.h"

namespace sidecore::metrics {

/// Owns a few slots: a pair of pictures in memory that suits the backend, and their scores.
/// A slot goes round: fill its two pictures, submit(), fill other slots meanwhile, collect().
/// Features whose scores depend on the pictures around theirs make a scorer temporal. All pictures
/// of a clip then go through slots in their order, those that are not scored by pass() instead of
/// submit(), and finish_clip() makes the scores. Of any other scorer the pictures may be of
/// anything. One thread uses a scorer. Destroying it waits for what is in flight.
class PictureScorer {
 public:
  virtual ~PictureScorer() = default;

  /// At least 2, so that one pair is filled while another is computed.
  [[nodiscard]] virtual std::size_t slots() const = 0;

  /// Not to be touched between submit() and collect(), which may put another picture there.
  [[nodiscard]] virtual video::Picture& reference(std::size_t slot) = 0;
  [[nodiscard]] virtual video::Picture& distorted(std::size_t slot) = 0;

  /// Starts computing the slot's scores. Throws Error (environment).
  virtual void submit(std::size_t slot) = 0;

  /// Waits for what a device does for the slot. True when the host then computes a score again and
  /// is not done: other slots may be collected and submitted meanwhile.
  [[nodiscard]] virtual bool recomputes(std::size_t /*slot*/) { return false; }

  /// Waits for the slot's scores: those of each request in the order they were asked for. Valid
  /// until the slot's next submit(). Throws Error (environment).
  [[nodiscard]] virtual std::span<const double> collect(std::size_t slot) = 0;

  [[nodiscard]] virtual bool is_temporal() const { return false; }
  /// Like submit(), but computes only what the scores of other pictures are made of; so only those
  /// of temporal features mean anything.
  virtual void pass(std::size_t slot) { submit(slot); }
  /// Turns what was collected of a clip, a column for each score and a row for each picture, into
  /// scores. Nothing is in flight; the next picture begins another clip.
  virtual void finish_clip(std::span<const std::span<double>> /*columns*/) {}

  /// In how many of the pictures collected a device could not settle a family's scores to the last
  /// bit, so that the host computed again what was open, and how many values that were.
  [[nodiscard]] virtual std::uint64_t host_recomputations() const { return 0; }
  [[nodiscard]] virtual std::uint64_t host_recomputed_values() const { return 0; }
};

/// Scores each pair on all of `scorers` (at least one, all of one format), whose scores follow each
/// other. Pictures are filled once, in the first one's memory, and copied to the others.
[[nodiscard]] std::unique_ptr<PictureScorer> make_joint_scorer(
    std::vector<std::unique_ptr<PictureScorer>> scorers);

}  // namespace sidecore::metrics
