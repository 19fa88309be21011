// Formats text tables with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace sidecore {

class TextTable {
 public:
  /// Creates a table. The first `left_columns` columns are aligned left, the other columns
  /// (numbers) right.
  TextTable(std::vector<std::string> header, std::size_t left_columns);
  /// Adds a row, which must have as many cells as the header.
  void add(std::vector<std::string> row);
  /// Returns the table, header first. Each line is indented by two spaces and ends with a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_columns_;
};

}  // namespace sidecore
