// Records as JSON documents. A record's members are listed once in a function fields(). Writing,
// reading and the JSON Schema (draft 7) follow from that list:
//
//   void fields(auto& json, BranchRate& branch) {
//     json("name", branch.name, {"The branch of the kernel, for example mask."});
//     json("rate", branch.rate, {.minimum = 0, .maximum = 1});
//   }
//
// fields() must be in the record's namespace. `json` is a Writer, Reader, Describer or Finder. For
// a Writer the record is a copy, for a Reader it is a default record that fields() fills; for a
// Describer or Finder its values do not matter. A value that a document stores in another form is
// copied to a local variable, listed, and copied back.
//
// Values may be bool, numbers, std::string, enumerations (by their to_string() and values_of()),
// records, types with a Converter of their own, and std::optional (or null), vector, set, array
// and map of values. The header is not installed, so users of the libraries do not need
// nlohmann-json.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sidecore::json {

using Json = nlohmann::json;             ///< type of documents that are read
using Ordered = nlohmann::ordered_json;  ///< type of documents that are written

/// Makes an error about a document; a caller adds the document's name later.
[[nodiscard]] Error malformed(const std::string& what);

/// Properties of a member besides its type. Readers reject values outside of the ranges.
struct About {
  const char* text = "";  ///< description of the member in the schema
  /// True: older documents lack the member; readers then leave the value unchanged.
  bool added_later = false;
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  std::optional<double> above = {};    ///< exclusive lower limit of a number
  std::vector<Json> one_of = {};       ///< allowed values; empty: all
  std::size_t least_items = 0;         ///< smallest length of an array
  std::vector<const char*> keys = {};  ///< keys that a map must have; it may have others
  const char* pattern = nullptr;       ///< pattern of a text; for the schema only
};

/// Position of a value in a document, for messages.
struct Place {
  const char* name;
  const About& about;
  bool element = false;  ///< true: the value is an element of the array `name`

  [[nodiscard]] Error error(const std::string& what) const;
  [[nodiscard]] Error unknown(const Json& value) const;
};

// Functions that return a member or its value. Each throws malformed() unless the value has its
// type and is in its range.
[[nodiscard]] const Json& member(const Json& json, const char* name);
[[nodiscard]] const std::string& text_of(const Json& value, const Place& place);
[[nodiscard]] bool flag_of(const Json& value, const Place& place);
[[nodiscard]] double number_of(const Json& value, const Place& place);
template <std::integral T>
[[nodiscard]] T integer_from(const Json& value, const Place& place);

/// Conversions of a type T: writing, reading and describing.
template <class T>
struct Converter;

/// The `json` argument of fields() that writes a record.
class Writer {
 public:
  explicit Writer(Ordered& json) : json_(json) {}

  /// Sets the record's name and description in the schema. Without a name, its schema is inserted
  /// where it is used.
  void record(const char* /*name*/, const char* /*text*/ = "") {}
  template <class T>
  void operator()(const char* name, T& value, const About& /*about*/ = {}) {
    json_[name] = Converter<T>::write(value);
  }
  /// Writes a member that follows from other members. Readers ignore it and compute it again.
  template <class T>
  void derived(const char* name, T value, const About& about = {}) {
    (*this)(name, value, about);
  }
  /// Writes an object whose members `list(json)` lists like fields().
  void object(const char* name, const auto& list, const About& /*about*/ = {}) {
    Ordered object = Ordered::object();
    Writer writer(object);
    list(writer);
    json_[name] = std::move(object);
  }
  /// Writes a group: members that are all present or all absent. Returns `present`. `reason`, if
  /// set, names a text member that says why the group is absent; that text is empty if the group is
  /// present.
  bool group(bool present, const auto& list, const char* /*reason*/ = nullptr) {
    if (present) list(*this);
    return present;
  }

 private:
  Ordered& json_;
};

/// The `json` argument of fields() that finds out if any of the members is present.
class Finder {
 public:
  explicit Finder(const Json& json) : json_(json) {}
  [[nodiscard]] bool found() const { return found_; }

  void record(const char* /*name*/, const char* /*text*/ = "") {}
  void operator()(const char* name, const auto& /*value*/, const About& /*about*/ = {}) {
    look_for(name);
  }
  void derived(const char* name, const auto& /*value*/, const About& /*about*/ = {}) {
    look_for(name);
  }
  void object(const char* name, const auto& /*list*/, const About& /*about*/ = {}) {
    look_for(name);
  }
  bool group(bool /*present*/, const auto& list, const char* /*reason*/ = nullptr) {
    list(*this);
    return false;
  }

 private:
  void look_for(const char* name) { found_ = found_ || json_.contains(name); }

  const Json& json_;
  bool found_ = false;
};

/// The `json` argument of fields() with which a record is read.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  void record(const char* /*name*/, const char* /*text*/ = "") {}
  template <class T>
  void operator()(const char* name, T& value, const About& about = {}) {
    if (about.added_later && !json_.contains(name)) return;
    const Json& found = member(json_, name);
    const Place place{name, about};
    Converter<T>::read(found, place, value);
    if (!about.one_of.empty() && std::ranges::find(about.one_of, found) == about.one_of.end()) {
      throw place.unknown(found);
    }
  }
  void derived(const char* /*name*/, const auto& /*value*/, const About& /*about*/ = {}) {}
  void object(const char* name, const auto& list, const About& /*about*/ = {}) {
    Reader reader(member(json_, name));
    list(reader);
  }
  bool group(bool /*present*/, const auto& list, const char* reason = nullptr) {
    Finder finder(json_);
    list(finder);
    // Compares with an empty text, because Json's own empty() is for arrays and objects.
    const bool there =
        finder.found() || (reason != nullptr && member(json_, reason) == Json(std::string()));
    if (there) list(*this);
    return there;
  }

 private:
  const Json& json_;
};

/// The `json` argument of fields() that describes a record as a JSON Schema.
class Describer {
 public:
  /// Creates a describer that stores the schemas of named records in `definitions`.
  explicit Describer(Ordered& definitions) : definitions_(definitions) {}

  void record(const char* name, const char* text = "") {
    name_ = name;
    text_ = text;
  }
  template <class T>
  void operator()(const char* name, T& /*value*/, const About& about = {}) {
    Ordered schema;
    if (about.one_of.empty()) {
      schema = Converter<T>::describe(definitions_, about);
    } else {
      schema["enum"] = about.one_of;
    }
    add(name, std::move(schema), about);
  }
  template <class T>
  void derived(const char* name, T value, const About& about = {}) {
    (*this)(name, value, about);
  }
  void object(const char* name, const auto& list, const About& about = {}) {
    Describer describer(definitions_);
    list(describer);
    add(name, describer.schema(), about);
  }
  /// Describes a group: members that are all present or all absent. A group inside another group
  /// requires the last member of the outer group that is listed before it.
  bool group(bool /*present*/, const auto& list, const char* reason = nullptr) {
    const std::vector<std::string> outer = std::exchange(required_, {});
    const bool nested = std::exchange(in_group_, true);
    list(*this);
    add_group(nested ? outer.back() : "", reason);
    in_group_ = nested;
    required_ = outer;
    return false;
  }

  /// Returns the object's schema, or a reference to it. Call it only once.
  [[nodiscard]] Ordered schema();

 private:
  void add(const char* name, Ordered schema, const About& about);
  void add_group(const std::string& outer, const char* reason);

  Ordered& definitions_;
  std::string name_;
  std::string text_;
  std::vector<std::string> required_;  ///< members required in the object or in the current group
  bool in_group_ = false;
  Ordered properties_ = Ordered::object();
  Ordered dependencies_;
  Ordered reasons_;
};

// --- values ------------------------------------------------------------------------------------

/// Writes, reads and describes any type that has fields().
template <class T>
struct Converter {
  static Ordered write(T& record) {
    Ordered json = Ordered::object();
    Writer writer(json);
    fields(writer, record);
    return json;
  }
  static void read(const Json& json, const Place& /*place*/, T& record) {
    Reader reader(json);
    fields(reader, record);
  }
  static Ordered describe(Ordered& definitions, const About& /*about*/) {
    Describer describer(definitions);
    T record{};
    fields(describer, record);
    return describer.schema();
  }
};

template <>
struct Converter<bool> {
  static Ordered write(bool value) { return value; }
  static void read(const Json& json, const Place& place, bool& value) {
    value = flag_of(json, place);
  }
  static Ordered describe(Ordered& /*definitions*/, const About& /*about*/) {
    return {{"type", "boolean"}};
  }
};

template <>
struct Converter<std::string> {
  static Ordered write(const std::string& value) { return value; }
  static void read(const Json& json, const Place& place, std::string& value) {
    value = text_of(json, place);
  }
  static Ordered describe(Ordered& definitions, const About& about);
};

template <>
struct Converter<double> {
  static Ordered write(double value) { return value; }
  static void read(const Json& json, const Place& place, double& value) {
    value = number_of(json, place);
  }
  static Ordered describe(Ordered& definitions, const About& about);
};

template <std::integral T>
struct Converter<T> {
  static Ordered write(T value) { return value; }
  static void read(const Json& json, const Place& place, T& value) {
    value = integer_from<T>(json, place);
  }
  static Ordered describe(Ordered& definitions, About about) {
    if (std::is_unsigned_v<T> && !about.minimum) about.minimum = 0;
    Ordered schema = Converter<double>::describe(definitions, about);
    schema["type"] = "integer";
    return schema;
  }
};

template <class T>
requires std::is_enum_v<T>
struct Converter<T> {
  static Ordered write(T value) { return std::string(to_string(value)); }
  static void read(const Json& json, const Place& place, T& value) {
    const std::string& name = text_of(json, place);
    const auto values = values_of(T{});
    const auto* const found =
        std::ranges::find_if(values, [&](T one) { return name == to_string(one); });
    if (found == values.end()) throw place.unknown(json);
    value = *found;
  }
  static Ordered describe(Ordered& /*definitions*/, const About& /*about*/) {
    Ordered names = Ordered::array();
    for (const T value : values_of(T{})) names.push_back(to_string(value));
    return {{"enum", std::move(names)}};
  }
};

template <class T>
struct Converter<std::optional<T>> {
  static Ordered write(std::optional<T>& value) {
    return value.has_value() ? Converter<T>::write(*value) : Ordered(nullptr);
  }
  static void read(const Json& json, const Place& place, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) Converter<T>::read(json, place, value.emplace());
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    return {{"oneOf", {{{"type", "null"}}, Converter<T>::describe(definitions, about)}}};
  }
};

template <class T>
struct Converter<std::vector<T>> {
  static Ordered write(std::vector<T>& all) {
    Ordered json = Ordered::array();
    for (T& element : all) json.push_back(Converter<T>::write(element));
    return json;
  }
  static void read(const Json& json, const Place& place, std::vector<T>& all) {
    if (!json.is_array()) throw place.error("is not an array");
    if (json.size() < place.about.least_items) throw place.error("has too few elements");
    all.clear();
    all.reserve(json.size());
    for (const Json& element : json) {
      Converter<T>::read(element, {place.name, place.about, true}, all.emplace_back());
    }
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    Ordered schema{{"type", "array"}, {"items", Converter<T>::describe(definitions, about)}};
    if (about.least_items > 0) schema["minItems"] = about.least_items;
    return schema;
  }
};

template <class T, std::size_t kSize>
struct Converter<std::array<T, kSize>> {
  static Ordered write(const std::array<T, kSize>& all) {
    std::vector<T> elements(all.begin(), all.end());
    return Converter<std::vector<T>>::write(elements);
  }
  static void read(const Json& json, const Place& place, std::array<T, kSize>& all) {
    std::vector<T> elements;
    Converter<std::vector<T>>::read(json, place, elements);
    if (elements.size() != kSize) throw place.error(fmt::format("must have {} elements", kSize));
    std::ranges::move(elements, all.begin());
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    Ordered schema = Converter<std::vector<T>>::describe(definitions, about);
    schema["minItems"] = kSize;
    schema["maxItems"] = kSize;
    return schema;
  }
};

template <class T>
struct Converter<std::set<T>> {
  static Ordered write(const std::set<T>& all) {
    std::vector<T> elements(all.begin(), all.end());
    return Converter<std::vector<T>>::write(elements);
  }
  static void read(const Json& json, const Place& place, std::set<T>& all) {
    std::vector<T> elements;
    Converter<std::vector<T>>::read(json, place, elements);
    all = {elements.begin(), elements.end()};
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    Ordered schema = Converter<std::vector<T>>::describe(definitions, about);
    schema["uniqueItems"] = true;
    return schema;
  }
};

template <class T>
struct Converter<std::map<std::string, T>> {
  static Ordered write(std::map<std::string, T>& all) {
    Ordered json = Ordered::object();
    for (auto& [name, value] : all) json[name] = Converter<T>::write(value);
    return json;
  }
  static void read(const Json& json, const Place& place, std::map<std::string, T>& all) {
    if (!json.is_object()) throw place.error("is not an object");
    for (const char* const name : place.about.keys) static_cast<void>(member(json, name));
    all.clear();
    for (const auto& [name, value] : json.items()) {
      Converter<T>::read(value, {name.c_str(), place.about}, all[name]);
    }
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    return {{"type", "object"},
            {"required", about.keys},
            {"additionalProperties", Converter<T>::describe(definitions, about)}};
  }
};

template <std::integral T>
T integer_from(const Json& value, const Place& place) {
  const auto fits = [&](auto number) {
    const About& about = place.about;
    return std::in_range<T>(number) &&
           static_cast<double>(number) >= about.minimum.value_or(-1e30) &&
           static_cast<double>(number) <= about.maximum.value_or(1e30);
  };
  if (value.is_number_unsigned() ? fits(value.get<std::uint64_t>())
                                 : value.is_number_integer() && fits(value.get<std::int64_t>())) {
    return value.get<T>();
  }
  throw place.error("is not a whole number in its range");
}

// --- documents ---------------------------------------------------------------------------------

/// A kind of document that sidecore writes, for messages and checks.
struct DocumentKind {
  const char* schema;  ///< value of the member "schema" in these documents
  int version;         ///< version that is written, and highest version that is read
  const char* what;    ///< name of the kind in messages, for example "result of sidecore gate"
  int oldest = 1;      ///< lowest version that is read
};

/// Parses a JSON document. AnyJson is nlohmann::json, or ordered_json to keep the order of members.
/// Throws Error (usage) that names `origin` if the text is not a complete JSON document or has a
/// number beyond a double's range.
template <class AnyJson>
[[nodiscard]] AnyJson parse(const std::string& text, const std::string& origin) {
  try {
    return AnyJson::parse(text);
  } catch (const typename AnyJson::parse_error& error) {
    throw usage_error("'{}' is not a whole JSON document (it ends early or is invalid at byte {})",
                      origin, error.byte);
  } catch (const typename AnyJson::exception&) {
    throw usage_error("'{}' has a number that is too large to be read", origin);
  }
}

/// Parses a document of the given kind. Throws Error (usage) that names `origin` if the text is not
/// a complete JSON document, is of another kind, or has an unsupported version.
[[nodiscard]] Json parse_document(const std::string& text, const std::string& origin,
                                  const DocumentKind& kind);
/// Returns the document's text with a newline at the end. Bytes that are not UTF-8 are replaced;
/// they may come from the names of devices and paths.
[[nodiscard]] std::string to_text(const Ordered& json, int indent = 2);
/// Lists the head of a document: its schema name and version.
void head_fields(auto& json, const DocumentKind& kind) {
  json.derived("schema", std::string(kind.schema), {.one_of = {kind.schema}});
  json.derived("version", kind.version,
               {.text = "Increased when a member changes its meaning or is removed. New members do "
                        "not increase it.",
                .one_of = {kind.version}});
}

template <class T>
[[nodiscard]] std::string write_document(const DocumentKind& kind, T record, int indent = 2) {
  Ordered json = Ordered::object();
  Writer writer(json);
  head_fields(writer, kind);
  fields(writer, record);
  return to_text(json, indent);
}

/// Reads a record from a document. Throws Error (usage) as parse_document() does, and if the
/// document is invalid or `check(record)` throws malformed().
template <class T, class Check = void (*)(const T&)>
[[nodiscard]] T read_document(
    const DocumentKind& kind, const std::string& text, const std::string& origin,
    const Check& check = [](const T& /*record*/) {}) {
  const Json json = parse_document(text, origin, kind);
  try {
    T record{};
    Reader reader(json);
    fields(reader, record);
    check(record);
    return record;
  } catch (const Error& error) {
    throw usage_error("'{}' is not a valid {}: {}", origin, kind.what, error.what());
  }
}

/// Returns the JSON Schema of the documents that write_document() writes. `text` describes the
/// document.
template <class T>
[[nodiscard]] std::string describe_document(const DocumentKind& kind, const char* text) {
  Ordered definitions = Ordered::object();
  Describer describer(definitions);
  T record{};
  head_fields(describer, kind);
  fields(describer, record);
  Ordered json{{"$schema", "http://json-schema.org/draft-07/schema#"},
               {"title", kind.what},
               {"description", text}};
  json.update(describer.schema());
  if (!definitions.empty()) json["definitions"] = std::move(definitions);
  return to_text(json);
}

}  // namespace sidecore::json
