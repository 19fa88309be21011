// The two names that libvmaf gives a score: its key, in model files and in the C interface, and its
// output name, in result files. Features have output names.
#pragma once

#include <string>
#include <string_view>

namespace sidecore::metrics {

/// Returns the output name of a key: "integer_adm2" for "VMAF_integer_feature_adm2_score". Other
/// text is returned unchanged.
[[nodiscard]] std::string output_of_key(std::string_view key);

/// Returns the key of an output whose options all have their defaults; outputs whose two names are
/// equal are returned unchanged.
[[nodiscard]] std::string key_of_output(std::string_view output);

}  // namespace sidecore::metrics
