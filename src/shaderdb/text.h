// The table for people.
#pragma once

#include <string>

#include "shaderdb/table.h"

namespace sidecore::shaderdb {

/// What was compiled, and what it did for a unit of work; a row a program, and their sum where a
/// variant has several.
[[nodiscard]] std::string to_text(const Table& table);

}  // namespace sidecore::shaderdb
