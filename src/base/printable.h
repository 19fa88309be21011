// Makes text of unknown origin safe for a terminal and for one line of a log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sidecore {

/// Treatment of line ends: escaped like control characters, or kept.
enum class LineEnds : std::uint8_t { escaped, kept };

/// Returns the text with unsafe parts escaped as \n, \r, \t, \xNN (a byte) or \u{NNNN} (a
/// character). Unsafe parts are control characters (C0, DEL, C1), characters that change the
/// writing direction, and bytes that are not UTF-8. All other characters stay, including
/// backslashes, so that a second call changes nothing. With LineEnds::kept, line ends stay too.
/// Text from an input file must pass through this function before it becomes part of a message.
[[nodiscard]] std::string printable(std::string_view text, LineEnds ends = LineEnds::escaped);

}  // namespace sidecore
