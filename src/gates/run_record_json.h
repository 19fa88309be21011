// How a result came about, in JSON: the members that all results share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "gates/environment.h"
#include "gates/json_members.h"

namespace sidecore::gates::json {

template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value.has_value() ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// The members "build" and "environment".
[[nodiscard]] nlohmann::ordered_json build_json(const RunRecord& record);
[[nodiscard]] nlohmann::ordered_json environment_json(const RunRecord& record);

/// From a document with these members and "command_line". Throws malformed().
[[nodiscard]] RunRecord run_record(const Json& document);

}  // namespace sidecore::gates::json
