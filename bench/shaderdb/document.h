// Tables as a file: what --json writes and what the baseline is.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "shaderdb/table.h"

namespace sidecore::shaderdb {

/// By V3D version.
using Tables = std::map<std::string, Table>;

/// JSON, schema "sidecore-shaderdb-1": sorted, a figure a line, so that a change to a shader is a
/// change to a few lines. Programs of a variant are sorted by name. Ends with a newline.
[[nodiscard]] std::string to_json(const Tables& tables);

/// Throws Error (usage), naming `origin` and what is wrong.
[[nodiscard]] Tables parse_tables(const std::string& json, const std::string& origin);

/// Throws Error (usage) when the file cannot be read or is none of these.
[[nodiscard]] Tables read_tables(const std::filesystem::path& file);

}  // namespace sidecore::shaderdb
