// Text as the content of XML, SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace sidecore {

/// Returns the text with the characters that mean something in markup (& < > " ') as references, so
/// that it may stand between tags and in an attribute of either quote. A zero byte, which markup
/// cannot say, becomes U+FFFD.
[[nodiscard]] std::string escaped_markup(std::string_view text);

}  // namespace sidecore
