#include "base/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace sidecore {

TextTable::TextTable(std::vector<std::string> header, std::size_t left_columns)
    : left_columns_(left_columns) {
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  assert(row.size() == rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      line += column < left_columns_ ? fmt::format("  {:<{}}", row[column], widths[column])
                                     : fmt::format("  {:>{}}", row[column], widths[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace sidecore
