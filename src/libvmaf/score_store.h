// Scores by name and picture, as libvmaf's interface keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sidecore::libvmaf {

class ScoreStore {
 public:
  /// Scores of one name, by the picture's index.
  struct Column {
    std::string name;
    std::map<unsigned, double> scores;
  };

  /// Adds a score. Returns false, and changes nothing, if the picture has a score of that name.
  bool add(const std::string& name, unsigned index, double score);
  [[nodiscard]] std::optional<double> find(std::string_view name, unsigned index) const;
  /// Returns the score, and throws Error (usage) if there is none.
  [[nodiscard]] double at(std::string_view name, unsigned index) const;

  /// Returns the scores of the pictures low to high whose index is a multiple of `step`. Throws
  /// Error (usage) if there is no such picture, or if one of them has no score.
  [[nodiscard]] std::vector<double> range(std::string_view name, unsigned low, unsigned high,
                                          unsigned step) const;

  /// Returns all columns in the order of their first scores.
  [[nodiscard]] std::span<const Column> columns() const { return columns_; }

  /// A score of the whole clip.
  struct ClipScore {
    std::string name;
    double score = 0;
  };
  void add_of_clip(std::string name, double score) { of_clip_.push_back({std::move(name), score}); }
  [[nodiscard]] std::span<const ClipScore> of_clip() const { return of_clip_; }

 private:
  [[nodiscard]] const Column* find_column(std::string_view name) const;

  std::vector<Column> columns_;
  std::vector<ClipScore> of_clip_;
};

/// Calls `call` with each index of low to high that is a multiple of `step`.
template <class Call>
void for_each_index(unsigned low, unsigned high, unsigned step, const Call& call) {
  // 64 bits, because `high` may be the largest unsigned number.
  for (std::uint64_t index = (low + std::uint64_t{step} - 1) / step * step; index <= high;
       index += step) {
    call(static_cast<unsigned>(index));
  }
}

}  // namespace sidecore::libvmaf
