#include "report/html.h"

#include <fmt/format.h>

#include <utility>

#include "base/markup.h"

namespace sidecore::report {

std::string breakable(std::string_view text) {
  std::string out;
  for (const char c : escaped_markup(text)) {
    out += c;
    if (c == '_') out += "<wbr>";
  }
  return out;
}

Table::Table(std::vector<std::string> header, std::size_t first_figure, std::size_t last_text)
    : header_(std::move(header)), first_figure_(first_figure), last_text_(last_text) {}

void Table::add(std::vector<std::string> cells, bool failed) {
  rows_.push_back({std::move(cells), failed});
}

std::string Table::cells(const std::vector<std::string>& row, const char* tag) const {
  std::string out;
  for (std::size_t column = 0; column < row.size(); ++column) {
    const char* text_class = column >= last_text_     ? " class=\"left remark\""
                             : column < first_figure_ ? " class=\"left\""
                                                      : "";
    const bool is_text = column < first_figure_ || column >= last_text_;
    out += fmt::format("<{}{}>{}</{}>", tag, text_class,
                       is_text ? breakable(row[column]) : escaped_markup(row[column]), tag);
  }
  return out;
}

std::string Table::html() const {
  // The table can get the focus, so that the keyboard can scroll it.
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n",
      cells(header_, "th"));
  for (const Row& row : rows_) {
    out += fmt::format("<tr{}>{}</tr>\n", row.failed ? " class=\"failed\"" : "",
                       cells(row.cells, "td"));
  }
  return out + "</tbody></table></div>\n";
}

std::string paragraph(std::string_view text, std::string_view css_class) {
  if (css_class.empty()) return fmt::format("<p>{}</p>\n", escaped_markup(text));
  return fmt::format("<p class=\"{}\">{}</p>\n", css_class, escaped_markup(text));
}

std::string source_line(std::size_t file_number, std::string_view place) {
  return fmt::format(
      "<p class=\"source\">From <a href=\"#file-{0}\">file {0}</a>, <code>{1}</code></p>\n",
      file_number, escaped_markup(place));
}

}  // namespace sidecore::report
