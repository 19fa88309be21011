// Helpers that several commands share: the command line as text, the size option, and where a
// command prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sidecore::cli {

/// Returns the words of this process's command line; empty if /proc cannot be read.
[[nodiscard]] std::vector<std::string> command_line();

/// Prints text for people on standard output, or on standard error if `json`, the value of --json,
/// is "-": the JSON document then takes standard output.
void print_text(const std::string& json, std::string_view text);

/// Value of --size.
struct PictureSize {
  int width = 0;  ///< width in luma samples
  int height = 0;
};

/// Parses "WIDTHxHEIGHT", as in "1920x1080". Throws Error (usage) for other texts, and for a width
/// or height outside 1 to 16384.
[[nodiscard]] PictureSize parse_size(const std::string& text);

}  // namespace sidecore::cli
