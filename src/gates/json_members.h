// Members of JSON documents, read with one sentence for whatever is wrong with them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sidecore::gates::json {

using Json = nlohmann::json;

/// What is wrong with a document, before its name is put in front.
[[nodiscard]] inline Error malformed(const std::string& what) {
  return {ErrorKind::usage, what};
}

// The rest throws malformed() unless a member is there and of its kind.

inline const Json& member(const Json& json, const char* name) {
  if (!json.is_object()) throw malformed(fmt::format("an object with \"{}\" is expected", name));
  const auto found = json.find(name);
  if (found == json.end()) throw malformed(fmt::format("\"{}\" is missing", name));
  return *found;
}

inline std::string text(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_string()) throw malformed(fmt::format("\"{}\" is not a text", name));
  return value.get<std::string>();
}

inline bool flag(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_boolean()) throw malformed(fmt::format("\"{}\" is not true or false", name));
  return value.get<bool>();
}

inline double real(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (!value.is_number()) throw malformed(fmt::format("\"{}\" is not a number", name));
  return value.get<double>();
}

/// A finite number from 0 on.
inline double amount(const Json& json, const char* name) {
  const double value = real(json, name);
  if (!std::isfinite(value) || value < 0) {
    throw malformed(fmt::format("\"{}\" is not a number from 0 on", name));
  }
  return value;
}

template <class T>
T whole(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>())) {
    return value.get<T>();
  }
  if (value.is_number_integer() && !value.is_number_unsigned() &&
      std::in_range<T>(value.get<std::int64_t>())) {
    return value.get<T>();
  }
  throw malformed(fmt::format("\"{}\" is not a whole number in its range", name));
}

/// Nothing for null, else what `read` makes of the member.
template <class Read>
auto optional(const Json& json, const char* name, Read read)
    -> std::optional<decltype(read(json, name))> {
  if (member(json, name).is_null()) return std::nullopt;
  return read(json, name);
}

/// What `read` makes of each element of the array.
template <class Read>
auto list(const Json& json, const char* name, Read read) {
  const Json& array = member(json, name);
  if (!array.is_array()) throw malformed(fmt::format("\"{}\" is not an array", name));
  std::vector<decltype(read(array))> all;
  all.reserve(array.size());
  for (const Json& element : array) all.push_back(read(element));
  return all;
}

/// The value of `values` whose to_string() the member is.
template <class Enum, std::size_t kSize>
Enum one_of(const Json& json, const char* name, const std::array<Enum, kSize>& values) {
  const std::string found = text(json, name);
  for (const Enum value : values) {
    if (found == to_string(value)) return value;
  }
  throw malformed(fmt::format("\"{}\" is unknown: '{}'", name, found));
}

inline std::string as_text(const Json& json) {
  if (!json.is_string()) throw malformed("a text is expected in an array");
  return json.get<std::string>();
}

inline double as_real(const Json& json) {
  if (!json.is_number()) throw malformed("a number is expected in an array");
  return json.get<double>();
}

/// Throws Error (usage) that names `origin` when the text is no whole JSON document, or has a
/// number beyond a double's range. nlohmann::json, or ordered_json for whoever keeps the members'
/// order.
template <class AnyJson>
[[nodiscard]] AnyJson parse_json(const std::string& text, const std::string& origin) {
  try {
    return AnyJson::parse(text);
  } catch (const typename AnyJson::parse_error& error) {
    throw usage_error("'{}' is not a whole JSON document (it breaks off or goes wrong at byte {})",
                      origin, error.byte);
  } catch (const typename AnyJson::exception&) {
    throw usage_error("'{}' has a number that is too large to be read", origin);
  }
}

/// A document of ours, for messages and checks.
struct DocumentKind {
  const char* schema;  ///< its member "schema"
  int version;         ///< the highest that is read
  const char* what;    ///< "a result of sidecore gate"
};

/// Throws Error (usage) that names `origin` when the text is no whole JSON document, none of the
/// kind, or of a newer version.
[[nodiscard]] Json parse_document(const std::string& text, const std::string& origin,
                                  const DocumentKind& kind);

}  // namespace sidecore::gates::json
