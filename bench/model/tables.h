// The files that scripts/armsim-cycles wrote, as text.
#pragma once

#include <string_view>

namespace sidecore::model {

[[nodiscard]] std::string_view kernel_table();
[[nodiscard]] std::string_view stream_table();

}  // namespace sidecore::model
