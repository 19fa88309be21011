// The words of a command line: all of them, for results that say how they were made, and one that
// several commands read; and where a command prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sidecore::cli {

/// The words of this process's command line; empty when the system does not tell.
[[nodiscard]] std::vector<std::string> command_line();

/// Prints text for people on standard output, or, where --json gives that to the document, on
/// standard error.
void print_beside(const std::string& json, std::string_view text);

/// Number of CPUs that this process may use, 1 to 256: the default of --threads, and what 0 stands
/// for.
[[nodiscard]] int default_threads();

/// WIDTHxHEIGHT.
struct PictureSize {
  int width = 0;  ///< in luma samples
  int height = 0;
};

/// Throws Error (usage) for other texts and for sizes that no picture has.
[[nodiscard]] PictureSize parse_size(const std::string& text);

}  // namespace sidecore::cli
