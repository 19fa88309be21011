// Escapes text for XML, SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace sidecore {

/// Returns the text with the special characters of markup (& < > " ') as references, so that it can
/// be used between tags and in attributes with either quote. A zero byte, which markup cannot
/// represent, becomes U+FFFD.
[[nodiscard]] std::string escaped_markup(std::string_view text);

}  // namespace sidecore
