// Pieces of HTML. Whatever comes from a file goes through escaped_markup().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/outcome.h"

namespace sidecore::report {

/// Text as element content, which may be broken behind underscores: names of scores have no spaces.
[[nodiscard]] std::string breakable(std::string_view text);

/// A table of plain-text cells that scrolls by itself where it is too wide.
class Table {
 public:
  /// Columns of figures, from `first_figure` to the one before `last_text`, are set flush right;
  /// what stands left and right of them is text.
  Table(std::vector<std::string> header, std::size_t first_figure,
        std::size_t last_text = static_cast<std::size_t>(-1));
  /// As many cells as the header has. `failed` sets the row off.
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

/// `text`, plain, as a paragraph of a class.
[[nodiscard]] std::string paragraph(std::string_view text, std::string_view css_class = {});

/// "WHAT: REASON." as a quiet paragraph, if the outcome has a reason; else nothing.
template <class T>
[[nodiscard]] std::string reason_paragraph(const std::string& what, const Outcome<T>& outcome) {
  return outcome.reason.empty() ? "" : paragraph(what + ": " + outcome.reason + ".", "quiet");
}

/// Where the figures above come from: the file's number, and the place in it.
[[nodiscard]] std::string source_line(std::size_t file_number, std::string_view place);

}  // namespace sidecore::report
