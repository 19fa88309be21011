// The report: one HTML page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace sidecore::report {

/// Styles, scripts and data are inside; nothing is fetched. Without JavaScript every table and
/// every sentence is there, the charts are not. `command` is what made the page, word by word.
[[nodiscard]] std::string to_html(const Inputs& inputs, const std::string& version,
                                  const std::vector<std::string>& command);

}  // namespace sidecore::report
