#include "libvmaf/score_store.h"

#include <algorithm>

#include "base/error.h"

namespace sidecore::libvmaf {

const ScoreStore::Column* ScoreStore::find_column(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name, &Column::name);
  return found == columns_.end() ? nullptr : &*found;
}

bool ScoreStore::add(const std::string& name, unsigned index, double score) {
  auto column = std::ranges::find(columns_, name, &Column::name);
  if (column == columns_.end()) {
    Column made{name, {{index, score}}};
    columns_.push_back(std::move(made));
    return true;
  }
  return column->scores.emplace(index, score).second;
}

std::optional<double> ScoreStore::find(std::string_view name, unsigned index) const {
  const Column* const column = find_column(name);
  if (column == nullptr) return std::nullopt;
  const auto found = column->scores.find(index);
  return found == column->scores.end() ? std::nullopt : std::optional(found->second);
}

double ScoreStore::at(std::string_view name, unsigned index) const {
  const std::optional<double> score = find(name, index);
  if (!score) throw usage_error("picture {} has no score {}", index, name);
  return *score;
}

std::vector<double> ScoreStore::range(std::string_view name, unsigned low, unsigned high,
                                      unsigned step) const {
  std::vector<double> scores;
  for_each_index(low, high, step, [&](unsigned index) { scores.push_back(at(name, index)); });
  if (scores.empty()) throw usage_error("there are no pictures from {} to {}", low, high);
  return scores;
}

}  // namespace sidecore::libvmaf
