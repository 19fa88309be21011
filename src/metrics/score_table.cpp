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

void ScoreTable::add_column(std::string name, std::vector<double> scores) {
  assert(scores.size() == numbers_.size());
  names_.push_back(std::move(name));
  columns_.push_back(std::move(scores));
}

void ScoreTable::keep_every(std::uint64_t step) {
  std::size_t kept = 0;
  for (std::size_t row = 0; row < numbers_.size(); ++row) {
    if (numbers_[row] % step != 0) continue;
    numbers_[kept] = numbers_[row];
    for (std::vector<double>& column : columns_) column[kept] = column[row];
    ++kept;
  }
  numbers_.resize(kept);
  for (std::vector<double>& column : columns_) column.resize(kept);
}

}  // namespace sidecore::metrics
