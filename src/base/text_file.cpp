#include "base/text_file.h"

#include <array>
#include <cerrno>
#include <fstream>

#include "base/error.h"

namespace sidecore {

std::string read_text_file(const std::filesystem::path& file, std::size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw usage_error("'{}' is a directory, not a file", file.native());
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw errno_error(ErrorKind::usage, fmt::format("cannot read '{}'", file.native()), errno);
  }
  std::string text;
  // The file is read in pieces, because pipes have no size and a device may have no end.
  std::array<char, 65536> piece{};
  while (stream.read(piece.data(), piece.size()) || stream.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) {
      throw usage_error(
          "'{}' is larger than {}", file.native(),
          most >> 20 > 0 ? fmt::format("{} MiB", most >> 20) : fmt::format("{} KiB", most >> 10));
    }
  }
  if (stream.bad()) throw usage_error("'{}' cannot be read to its end", file.native());
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

}  // namespace sidecore
