// Text of unknown origin, made fit for a terminal and for one line of a log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sidecore {

enum class LineEnds : std::uint8_t { escaped, kept };

/// Returns the text with control characters (C0, DEL, C1), characters that turn the direction of
/// writing, and bytes that are not UTF-8 replaced by \n, \r, \t, \xNN for a byte, or \u{NNNN} for a
/// character. Everything else stays, a backslash too: applied twice, it changes nothing more.
/// Whatever an input file says goes through here before it becomes part of a message. With
/// LineEnds::kept the ends of lines stay.
[[nodiscard]] std::string printable(std::string_view text, LineEnds ends = LineEnds::escaped);

}  // namespace sidecore
