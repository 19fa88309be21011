// Input files that are read whole, and what stands in them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace sidecore {

/// Far above every result file; what is larger is something else.
inline constexpr std::size_t kMostTextBytes = std::size_t{256} << 20;

/// The file's bytes. Throws Error (usage), naming the file, when it is missing, a directory, cannot
/// be read, or is larger than `most` bytes.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file,
                                         std::size_t most = kMostTextBytes);

/// Without the blanks, tabs and ends of lines around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace sidecore
