// Data of the built-in models, which scripts/vmaf-models writes.
#pragma once

#include <string_view>

namespace sidecore::metrics {

/// Returns a JSON document. Its member "models" has, by version, objects shaped as a model file's
/// model_dict, except "model": "machine" there names a member of "machines", texts in libsvm's
/// format.
[[nodiscard]] std::string_view vmaf_models();

}  // namespace sidecore::metrics
