// Data of the built-in models, which scripts/vmaf-models writes.
#pragma once

#include <string_view>

namespace sidecore::metrics {

/// Returns a JSON document. Its member "models" has, by version, objects shaped as a model file's
/// model_dict, except "model": "machine" there names a member of "machines", texts in libsvm's
/// format. Its member "collections" has such objects too; "bootstrap" there names a member of
/// "bootstraps": the vectors that all machines of the collection share, as texts, and for each
/// machine the text before its vectors ("head") and lines with a coefficient and the number of a
/// vector ("vectors").
[[nodiscard]] std::string_view vmaf_models();

}  // namespace sidecore::metrics
