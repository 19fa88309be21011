#include "metrics/score_clips.h"

#include <algorithm>
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
  ScoreTable table(std::move(names));
  const std::uint64_t slots = scorer.slots();
  std::uint64_t read = 0;
  for (; !options.picture_limit || read < *options.picture_limit; ++read) {
    const std::size_t slot = read % slots;
    if (read >= slots) table.append(scorer.collect(slot));
    if (!read_pair(reference, distorted, scorer, slot, read)) break;
    scorer.submit(slot);
    if (options.progress) options.progress(read + 1);
  }
  while (table.pictures() < read) table.append(scorer.collect(table.pictures() % slots));
  if (read == 0) {
    throw usage_error("there is no picture in reference {} and distorted {}", reference.name(),
                      distorted.name());
  }
  return table;
}

}  // namespace sidecore::metrics
