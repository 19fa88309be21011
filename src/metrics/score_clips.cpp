#include "metrics/score_clips.h"

#include <algorithm>
#include <deque>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

/// A clip and its read position, which counts lost pictures.
class Clip {
 public:
  explicit Clip(video::PictureSource& source) : source_(source) {}

  /// Skips `pictures` at the start, lost ones included; the next picture has number 0. If pictures
  /// were lost around the last skipped one, the first picture after them is already in `scratch`.
  /// The first read() must then be given `scratch`.
  void skip(std::uint64_t pictures, video::Picture& scratch) {
    skipped_ = pictures;
    while (whole_position() < pictures) {
      if (!source_.read(scratch)) {
        throw usage_error("{} has {} pictures: {} cannot be skipped", name(), whole_position(),
                          pictures);
      }
      ++taken_;
    }
    is_in_scratch_ = whole_position() > pictures;
  }
  bool read(video::Picture& picture) {
    if (!is_in_scratch_) {
      if (!source_.read(picture)) return false;
      ++taken_;
    }
    is_in_scratch_ = false;
    ++read_;
    return true;
  }
  [[nodiscard]] std::uint64_t position() const { return whole_position() - skipped_; }
  /// Returns the number of pictures that read() returned.
  [[nodiscard]] std::uint64_t count() const { return read_; }
  [[nodiscard]] const std::string& name() const { return source_.name(); }

 private:
  /// Returns the number of pictures from the clip's start to the one read last, lost ones included.
  [[nodiscard]] std::uint64_t whole_position() const { return taken_ + source_.lost(); }

  video::PictureSource& source_;
  std::uint64_t taken_ = 0;    ///< pictures taken from the source
  std::uint64_t read_ = 0;     ///< pictures returned by read()
  std::uint64_t skipped_ = 0;  ///< skipped pictures, lost ones included
  bool is_in_scratch_ = false;
};

/// Fills the slot with the next picture that both clips have; returns false at the end of either.
/// If one clip is longer, `unequal` receives a line that says which.
bool read_pair(Clip& reference, Clip& distorted, PictureScorer& scorer, std::size_t slot,
               std::string& unequal) {
  bool more_reference = reference.read(scorer.reference(slot));
  bool more_distorted = distorted.read(scorer.distorted(slot));
  while (more_reference && more_distorted && reference.position() != distorted.position()) {
    if (reference.position() < distorted.position()) {
      more_reference = reference.read(scorer.reference(slot));
    } else {
      more_distorted = distorted.read(scorer.distorted(slot));
    }
  }
  if (more_reference && !more_distorted) {
    unequal = fmt::format("distorted {} ended after {} pictures, reference {} has more",
                          distorted.name(), distorted.count(), reference.name());
  }
  if (more_distorted && !more_reference) {
    unequal = fmt::format("reference {} ended after {} pictures, distorted {} has more",
                          reference.name(), reference.count(), distorted.name());
  }
  return more_reference && more_distorted;
}

/// The pairs in a scorer's slots, which are reused, and the table of finished scores.
class PairsInFlight {
 public:
  PairsInFlight(PictureScorer& scorer, std::vector<std::string> names)
      : scorer_(scorer), table_(std::move(names)) {
    for (std::size_t slot = 0; slot < scorer_.slots(); ++slot) free_.push_back(slot);
  }

  /// Returns a free slot. If there is none, it collects the first pair for which the host
  /// recomputes nothing; without such a pair, the oldest one.
  std::size_t free_slot() {
    if (free_.empty()) {
      const auto ready = std::ranges::find_if(pairs_, [this](const Pair& pair) {
        return !pair.scores && !scorer_.recomputes(pair.slot);
      });
      if (ready != pairs_.end()) {
        collect(*ready);
      } else {
        collect_oldest();
      }
    }
    return free_.front();
  }
  /// Starts to compute the pair in the free slot, which has picture number `number`.
  void submit(std::uint64_t number) {
    scorer_.submit(free_.front());
    push(number);
  }
  /// Submits the pair in the free slot with PictureScorer::pass(): it is not scored, but other
  /// pictures' scores depend on it.
  void pass(std::uint64_t number) {
    scorer_.pass(free_.front());
    push(number);
  }
  /// Waits for the oldest pair and collects its scores.
  void collect_oldest() { collect(pairs_.front()); }
  ScoreTable finish() {
    while (!pairs_.empty()) collect_oldest();
    std::vector<std::span<double>> columns;
    for (std::size_t i = 0; i < table_.names().size(); ++i) columns.push_back(table_.column(i));
    scorer_.finish_clip(columns);
    return std::move(table_);
  }

 private:
  void push(std::uint64_t number) {
    pairs_.push_back({number, free_.front(), {}});
    free_.pop_front();
  }

  struct Pair {
    std::uint64_t number = 0;
    std::size_t slot = 0;
    std::optional<std::vector<double>> scores;  // none until the scores are collected
  };

  void collect(Pair& pair) {
    const std::span<const double> scores = scorer_.collect(pair.slot);
    pair.scores.emplace(scores.begin(), scores.end());
    free_.push_back(pair.slot);
    for (; !pairs_.empty() && pairs_.front().scores; pairs_.pop_front()) {
      table_.append(pairs_.front().number, *pairs_.front().scores);
    }
  }

  PictureScorer& scorer_;
  ScoreTable table_;
  std::deque<std::size_t> free_;
  // Pairs that are submitted and not yet in the table; the oldest has no scores yet.
  std::deque<Pair> pairs_;
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
  Clip reference_clip(reference);
  Clip distorted_clip(distorted);
  reference_clip.skip(options.skip_reference, scorer.reference(0));
  distorted_clip.skip(options.skip_distorted, scorer.distorted(0));
  PairsInFlight flight(scorer, std::move(names));
  std::uint64_t read = 0;
  std::string unequal;
  for (; !options.picture_limit || read < *options.picture_limit; ++read) {
    const std::size_t slot = flight.free_slot();
    if (!read_pair(reference_clip, distorted_clip, scorer, slot, unequal)) break;
    if (read % options.subsample == 0) {
      flight.submit(read);
      if (read == 0 && options.first_scored) {
        flight.collect_oldest();
        options.first_scored();
      }
    }
    if (read % options.subsample != 0 && scorer.is_temporal()) flight.pass(read);
    if (options.progress) options.progress(read + 1);
  }
  if (read == 0) {
    if (!unequal.empty()) throw Error(ErrorKind::usage, unequal);
    throw usage_error("reference {} and distorted {} have no picture in common", reference.name(),
                      distorted.name());
  }
  if (!unequal.empty() && options.unequal) options.unequal(unequal);
  ScoreTable table = flight.finish();
  table.keep_every(options.subsample);
  return table;
}

}  // namespace sidecore::metrics
