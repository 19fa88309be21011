// HTML elements. Text from a file always passes through escaped_markup().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"

namespace sidecore::report {

/// Returns text as element content that may wrap after underscores, because names of scores have no
/// spaces.
[[nodiscard]] std::string breakable(std::string_view text);

/// A table of plain-text cells. It scrolls horizontally if it is too wide.
class Table {
 public:
  /// Creates a table. Columns `first_figure` to last_text - 1 are figures, aligned right; the other
  /// columns are text.
  Table(std::vector<std::string> header, std::size_t first_figure,
        std::size_t last_text = static_cast<std::size_t>(-1));
  /// Adds a row; it must have as many cells as the header. `failed` highlights the row.
  void add(std::vector<std::string> cells, bool failed = false);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string html() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool failed = false;
  };
  [[nodiscard]] std::string cells(const std::vector<std::string>& row, const char* tag) const;

  std::vector<std::string> header_;
  std::vector<Row> rows_;
  std::size_t first_figure_;
  std::size_t last_text_;
};

/// Returns plain text as a paragraph of a CSS class.
[[nodiscard]] std::string paragraph(std::string_view text, std::string_view css_class = {});

/// Returns "WHAT: REASON." as a quiet paragraph if the outcome has a reason, otherwise "".
template <class T>
[[nodiscard]] std::string reason_paragraph(const std::string& what, const Outcome<T>& outcome) {
  return outcome.reason.empty() ? "" : paragraph(what + ": " + outcome.reason + ".", "quiet");
}

/// Returns a line that names the source of the figures above: the file's number and the JSON path.
[[nodiscard]] std::string source_line(std::size_t file_number, std::string_view place);

}  // namespace sidecore::report
