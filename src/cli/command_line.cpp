#include "cli/command_line.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "video/picture.h"

namespace sidecore::cli {

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

void print_text(const std::string& json, std::string_view text) {
  // Control bytes are escaped, because names of boards, devices and clips may come from input
  // files.
  const std::string shown = printable(text, LineEnds::kept);
  if (is_standard_output(json)) return print_remark(shown);
  fmt::print("{}", shown);
}

CLI::Validator at_least_one() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool whole = !text.empty() &&
                           text.find_first_not_of("0123456789") == std::string::npos &&
                           text.find_first_not_of('0') != std::string::npos;
        return whole ? "" : fmt::format("'{}' is not a whole number of 1 or more", text);
      },
      "POSITIVE");
}

PictureSize parse_size(const std::string& text) {
  PictureSize size;
  char separator = 0;
  std::istringstream stream(text);
  if (!(stream >> size.width >> separator >> size.height) || separator != 'x' || !stream.eof()) {
    throw usage_error("--size must be WIDTHxHEIGHT, as in 1920x1080, not '{}'", text);
  }
  video::check_format({size.width, size.height, {}});
  return size;
}

}  // namespace sidecore::cli
