// Result files of `sidecore gate`.
#pragma once

#include <filesystem>
#include <string>

#include "gates/run.h"

namespace sidecore::gates {

/// One JSON document: "schema": "sidecore-gate", "version": 1. Times are nanoseconds and rates are
/// units a second unless a name says otherwise; every sample is there.
[[nodiscard]] std::string to_json(const GateReport& report);

/// The report that to_json() wrote: to_json() of it gives the same text. What is not in the
/// document keeps its default: the device's index, identifiers and limits, GateOptions' *_named.
/// `origin` is what messages call the document. Throws Error (usage), one sentence, when the text
/// is no whole JSON document, another program's, of a newer version, or lacks what its version has.
[[nodiscard]] GateReport parse_result(const std::string& text, const std::string& origin);

/// Throws Error (usage) also when the file cannot be read.
[[nodiscard]] GateReport read_result(const std::filesystem::path& file);

/// The JSON Schema (draft 7) of what to_json() writes.
[[nodiscard]] std::string result_schema();

}  // namespace sidecore::gates
