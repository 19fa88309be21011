// Scores of a clip: a row for each picture, a column for each output of a feature.
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
  /// Output names as libvmaf's files spell them, e.g. "float_psnr", "psnr_hvs_cb".
  explicit ScoreTable(std::vector<std::string> names)
      : names_(std::move(names)), columns_(names_.size()) {}

  /// Adds the scores of picture `number`, one for each name (asserted).
  void append(std::uint64_t number, std::span<const double> scores);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t pictures() const { return numbers_.size(); }
  /// Which picture of the clip a row is, counted from 0 behind what was skipped; ascending.
  [[nodiscard]] std::uint64_t number(std::size_t row) const { return numbers_[row]; }
  [[nodiscard]] std::span<const double> column(std::size_t output) const {
    return columns_[output];
  }
  [[nodiscard]] std::span<double> column(std::size_t output) { return columns_[output]; }

  /// Adds scores, one for each row (asserted), under a name.
  void add_column(std::string name, std::vector<double> scores);

  /// Drops the rows of all pictures but 0, step, 2 * step, ...
  void keep_every(std::uint64_t step);

 private:
  std::vector<std::string> names_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace sidecore::metrics
