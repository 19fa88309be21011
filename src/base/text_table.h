// Aligned columns for people.
#pragma once

#include <string>
#include <vector>

namespace sidecore {

class TextTable {
 public:
  /// The first `left_columns` columns are set flush left, the others (figures) flush right.
  TextTable(std::vector<std::string> header, std::size_t left_columns);
  /// As many cells as the header has.
  void add(std::vector<std::string> row);
  /// Lines indented by two spaces, each ended by a newline; the header first.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  std::size_t left_columns_;
};

}  // namespace sidecore
