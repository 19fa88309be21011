// Scores of a clip: one row per picture, one column per output of a feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sidecore::metrics {

class ScoreTable {
 public:
  ScoreTable() = default;
  /// `names` are output names as in libvmaf's files, e.g. "float_psnr", "psnr_hvs_cb".
  explicit ScoreTable(std::vector<std::string> names)
      : names_(std::move(names)), columns_(names_.size()) {}

  /// Adds the scores of picture `number`; there must be one per name (asserted).
  void append(std::uint64_t number, std::span<const double> scores);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t pictures() const { return numbers_.size(); }
  /// Returns the picture number of a row, counted from 0 after the skipped pictures. Numbers
  /// ascend.
  [[nodiscard]] std::uint64_t number(std::size_t row) const { return numbers_[row]; }
  [[nodiscard]] std::span<const double> column(std::size_t output) const {
    return columns_[output];
  }
  [[nodiscard]] std::span<double> column(std::size_t output) { return columns_[output]; }

  /// Adds a column; `scores` must have one element per row (asserted).
  void add_column(std::string name, std::vector<double> scores);

  /// Removes the rows of all pictures except 0, step, 2 * step, ...
  void keep_every(std::uint64_t step);

 private:
  std::vector<std::string> names_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace sidecore::metrics
