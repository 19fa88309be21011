// Result files of `sidecore gate`, read back.
#pragma once

#include <filesystem>
#include <string>

#include "gates/run.h"

namespace sidecore::gates {

/// The version of "sidecore-gate" documents that to_json() writes and this reads
/// (docs/results.schema.json).
inline constexpr int kResultVersion = 1;

/// The report that to_json() wrote: to_json() of it gives the same text. What is not in the
/// document keeps its default: the device's index, identifiers and limits, GateOptions' *_named.
/// `origin` is what messages call the document. Throws Error (usage), one sentence, when the text
/// is no whole JSON document, another program's, of a newer version, or lacks what its version has.
[[nodiscard]] GateReport parse_result(const std::string& text, const std::string& origin);

/// Throws Error (usage) also when the file cannot be read.
[[nodiscard]] GateReport read_result(const std::filesystem::path& file);

}  // namespace sidecore::gates
