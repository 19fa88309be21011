// Scripts and styles of every page, embedded at build time.
#pragma once

#include <string_view>

namespace sidecore::report {

[[nodiscard]] std::string_view d3_script();     ///< d3, minified
[[nodiscard]] std::string_view chart_script();  ///< returns page/charts.js
[[nodiscard]] std::string_view style_sheet();   ///< returns page/page.css

}  // namespace sidecore::report
