// The report: one self-contained HTML page.
#pragma once

#include <string>
#include <vector>

#include "report/inputs.h"

namespace sidecore::report {

/// Returns the page. It contains its styles, scripts and data, and fetches nothing. Without
/// JavaScript only the charts are missing. `command` is the command line that made the page.
[[nodiscard]] std::string to_html(const Inputs& inputs, const std::string& version,
                                  const std::vector<std::string>& command);

}  // namespace sidecore::report
