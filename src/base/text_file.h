// Reads whole text files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace sidecore {

/// Largest size of a file that is read. Every result file is far smaller.
inline constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

/// Returns the file's bytes. Throws Error (usage) that names the file if it is missing, a
/// directory, unreadable, or larger than `most` bytes.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file,
                                         std::size_t most = kMaxTextBytes);

/// Returns the text without leading and trailing spaces, tabs and line ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace sidecore
