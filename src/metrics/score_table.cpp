#include "metrics/score_table.h"

#include <cassert>

namespace sidecore::metrics {

void ScoreTable::append(std::uint64_t number, std::span<const double> scores) {
  assert(scores.size() == columns_.size());
  for (std::size_t output = 0; output < columns_.size(); ++output) {
    columns_[output].push_back(scores[output]);
  }
  numbers_.push_back(number);
}

}  // namespace sidecore::metrics
