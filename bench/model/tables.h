// Tables of modelled cycles, as JSON text that scripts/armsim-cycles wrote.
#pragma once

#include <string_view>

namespace sidecore::model {

[[nodiscard]] std::string_view kernel_table();
[[nodiscard]] std::string_view stream_table();

}  // namespace sidecore::model
