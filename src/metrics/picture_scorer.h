// The interface that computes scores of picture pairs, with several pairs in flight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "video/picture.h"

namespace sidecore::metrics {

/// Owns a few slots. A slot has a pair of pictures in memory that suits the implementation, and
/// their scores. For each pair, the caller fills the slot's two pictures, calls submit(), fills
/// other slots, and calls collect().
/// A scorer is temporal if scores of its features depend on neighbouring pictures. Then all
/// pictures of a clip must go through slots in order. Pictures that are not scored use pass()
/// instead of submit(), and finish_clip() computes the scores. Other scorers accept pictures in any
/// order.
/// Only one thread may use a scorer. Its destructor waits for the pairs in flight.
class PictureScorer {
 public:
  virtual ~PictureScorer() = default;

  /// Returns the number of slots, at least 2, so that one pair is filled while another is computed.
  [[nodiscard]] virtual std::size_t slots() const = 0;

  /// Returns the slot's picture. Do not touch it between submit() and collect(), which may put
  /// another picture there.
  [[nodiscard]] virtual video::Picture& reference(std::size_t slot) = 0;
  [[nodiscard]] virtual video::Picture& distorted(std::size_t slot) = 0;

  /// Starts computing the slot's scores. Throws Error (environment).
  virtual void submit(std::size_t slot) = 0;

  /// Waits for the device's work for the slot. Returns true while the host still recomputes a score
  /// of it; then the caller can collect and submit other slots.
  [[nodiscard]] virtual bool recomputes(std::size_t /*slot*/) { return false; }

  /// Waits for the slot's scores and returns them in the order of the requests. They are valid
  /// until the slot's next submit(). Throws Error (environment).
  [[nodiscard]] virtual std::span<const double> collect(std::size_t slot) = 0;

  [[nodiscard]] virtual bool is_temporal() const { return false; }
  /// Submits a slot like submit(), but computes only values that other pictures' scores need. The
  /// slot then has no scores of its own, except for temporal features.
  virtual void pass(std::size_t slot) { submit(slot); }
  /// Turns the values collected for a clip into scores; there is one column per score, one row per
  /// picture. No pair may be in flight. The next picture starts another clip.
  virtual void finish_clip(std::span<const std::span<double>> /*columns*/) {}

  /// Returns the number of collected pictures for which the device could not decide the last bit of
  /// a family's scores, so that the host recomputed values.
  [[nodiscard]] virtual std::uint64_t host_recomputations() const { return 0; }
  [[nodiscard]] virtual std::uint64_t host_recomputed_values() const { return 0; }
};

/// Makes a scorer that scores each pair on all of `scorers` and returns their scores one after the
/// other. `scorers` must have at least one element, all of one format. Pictures are filled once, in
/// the first scorer's memory, and copied to the others.
[[nodiscard]] std::unique_ptr<PictureScorer> make_joint_scorer(
    std::vector<std::unique_ptr<PictureScorer>> scorers);

}  // namespace sidecore::metrics
