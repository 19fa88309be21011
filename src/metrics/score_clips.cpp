#include "metrics/score_clips.h"

#include <deque>
#include <utility>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

/// Fills the slot with picture `number` of both; false at their common end.
bool read_pair(video::PictureSource& reference, video::PictureSource& distorted,
               PictureScorer& scorer, std::size_t slot, std::uint64_t number) {
  const bool more_reference = reference.read(scorer.reference(slot));
  const bool more_distorted = distorted.read(scorer.distorted(slot));
  if (more_reference && !more_distorted) {
    throw usage_error("distorted {} ended after {} pictures, reference {} has more",
                      distorted.name(), number, reference.name());
  }
  if (more_distorted && !more_reference) {
    throw usage_error("reference {} ended after {} pictures, distorted {} has more",
                      reference.name(), number, distorted.name());
  }
  return more_reference;
}

void skip(video::PictureSource& source, std::uint64_t pictures, video::Picture& scratch) {
  for (std::uint64_t skipped = 0; skipped < pictures; ++skipped) {
    if (source.read(scratch)) continue;
    throw usage_error("{} has {} pictures: {} cannot be skipped", source.name(), skipped, pictures);
  }
}

/// The pairs in a scorer's slots, which go round, and the scores of those before.
class Flight {
 public:
  Flight(PictureScorer& scorer, std::vector<std::string> names)
      : scorer_(scorer), table_(std::move(names)) {}

  /// The slot of the next pair, once its last pair is scored.
  std::size_t free_slot() {
    if (numbers_.size() == scorer_.slots()) collect();
    return submitted_ % scorer_.slots();
  }
  /// Starts the pair in the free slot.
  void submit(std::uint64_t number) {
    scorer_.submit(submitted_++ % scorer_.slots());
    numbers_.push_back(number);
  }
  /// Waits for the oldest pair.
  void collect() {
    const std::size_t slot = (submitted_ - numbers_.size()) % scorer_.slots();
    table_.append(numbers_.front(), scorer_.collect(slot));
    numbers_.pop_front();
  }
  ScoreTable finish() {
    while (!numbers_.empty()) collect();
    return std::move(table_);
  }

 private:
  PictureScorer& scorer_;
  ScoreTable table_;
  std::uint64_t submitted_ = 0;
  std::deque<std::uint64_t> numbers_;  // of the pictures in flight
};

}  // namespace

void check_same_format(const video::PictureSource& reference,
                       const video::PictureSource& distorted) {
  if (reference.format() == distorted.format()) return;
  throw usage_error("reference {} is {}, distorted {} is {}", reference.name(),
                    video::to_string(reference.format()), distorted.name(),
                    video::to_string(distorted.format()));
}

ScoreTable score_clips(video::PictureSource& reference, video::PictureSource& distorted,
                       PictureScorer& scorer, std::vector<std::string> names,
                       const ScoreClipsOptions& options) {
  check_same_format(reference, distorted);
  skip(reference, options.skip_reference, scorer.reference(0));
  skip(distorted, options.skip_distorted, scorer.distorted(0));
  Flight flight(scorer, std::move(names));
  std::uint64_t read = 0;
  for (; !options.picture_limit || read < *options.picture_limit; ++read) {
    const std::size_t slot = flight.free_slot();
    if (!read_pair(reference, distorted, scorer, slot, read)) break;
    if (read % options.subsample == 0) {
      flight.submit(read);
      if (read == 0 && options.first_scored) {
        flight.collect();
        options.first_scored();
      }
    }
    if (options.progress) options.progress(read + 1);
  }
  if (read == 0) {
    throw usage_error("there is no picture in reference {} and distorted {}", reference.name(),
                      distorted.name());
  }
  return flight.finish();
}

}  // namespace sidecore::metrics
