// Tables as JSON files: the output of --json, and the baseline.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "shaderdb/table.h"

namespace sidecore::shaderdb {

/// Tables by V3D version, for example "7.1".
using Tables = std::map<std::string, Table>;

/// Returns JSON of schema "sidecore-shaderdb-1", with a newline at the end. Members are sorted, and
/// each program has one line, so that a changed shader changes one line.
[[nodiscard]] std::string to_json(const Tables& tables);

/// Reads the JSON text that to_json() wrote. Throws Error (usage) that names `origin` and the
/// fault.
[[nodiscard]] Tables parse_tables(const std::string& json, const std::string& origin);

/// Reads a JSON file of tables. Throws Error (usage) if it cannot be read or is not such a file.
[[nodiscard]] Tables read_tables(const std::filesystem::path& file);

}  // namespace sidecore::shaderdb
