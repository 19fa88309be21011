// The built-in models' figures, as scripts/vmaf-models wrote them.
#pragma once

#include <string_view>

namespace sidecore::metrics {

/// JSON: "models", by version, in the shape of a model file's model_dict, but for "model": each
/// names as "machine" one of "machines", texts as libsvm writes them.
[[nodiscard]] std::string_view vmaf_models();

}  // namespace sidecore::metrics
