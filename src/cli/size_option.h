// WIDTHxHEIGHT on a command line.
#pragma once

#include <string>

namespace sidecore::cli {

struct PictureSize {
  int width = 0;  ///< in luma samples
  int height = 0;
};

/// Throws Error (usage) for other texts and for sizes that no picture has.
[[nodiscard]] PictureSize parse_size(const std::string& text);

}  // namespace sidecore::cli
