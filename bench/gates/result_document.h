// Result files of `sidecore gate`.
#pragma once

#include <filesystem>
#include <string>

#include "gates/run.h"

namespace sidecore::gates {

/// Writes the report as a JSON document with "schema": "sidecore-gate", "version": 1. Times are in
/// nanoseconds and rates in work units per second unless a name says otherwise. All samples are
/// included.
[[nodiscard]] std::string to_json(const GateReport& report);

/// Reads a document of to_json(). Writing the report again gives the same document. Members that
/// the document lacks keep their defaults: the device's index, identifiers and limits, and
/// GateOptions'
/// *_named. `origin` names the document in messages. Throws Error (usage) if the text is not a
/// complete JSON document, is of another schema or a newer version, or lacks required members.
[[nodiscard]] GateReport parse_result(const std::string& text, const std::string& origin);

/// Reads a result file as parse_result() does. Throws Error (usage) also if it cannot be read.
[[nodiscard]] GateReport read_result(const std::filesystem::path& file);

/// Returns the JSON Schema (draft 7) of the documents that to_json() writes.
[[nodiscard]] std::string result_schema();

}  // namespace sidecore::gates
