// Records as JSON documents. The members of a record are listed once; how they are written, read
// and described by a JSON Schema (draft 7) follows from the list:
//
//   void fields(auto& json, BranchRate& branch) {
//     json("name", branch.name, {"The branch of the kernel, for example mask."});
//     json("rate", branch.rate, {.minimum = 0, .maximum = 1});
//   }
//
// fields() stands in the record's namespace. `json` is a Writer, a Reader, a Describer or a Finder,
// and the record a copy to be written, a default one to be filled, or one whose values do not
// matter. What a document has in another form than the record is copied to a local, listed, and
// copied back.
//
// Values are bool, numbers, std::string, enumerations (by their to_string() and values_of()),
// records, what has a Form of its own, and std::optional (or null), vector, set, array and map of
// values. Not installed: a user of the libraries needs no nlohmann-json.
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

using Json = nlohmann::json;             ///< as documents are read
using Ordered = nlohmann::ordered_json;  ///< as they are written

/// What is wrong with a document, before its name is put in front.
[[nodiscard]] Error malformed(const std::string& what);

/// What holds of a member beside its type. Readers refuse what is outside of the ranges.
struct About {
  const char* text = "";     ///< for people who read the schema
  bool added_later = false;  ///< documents of earlier builds lack it: readers leave the value then
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  std::optional<double> above = {};    ///< a number is more than that
  std::vector<Json> one_of = {};       ///< the values there are
  std::size_t least_items = 0;         ///< of an array
  std::vector<const char*> keys = {};  ///< that a map has, among others
  const char* pattern = nullptr;       ///< of a text; for the schema only
};

/// A value's place in a document, for messages.
struct Place {
  const char* name;
  const About& about;
  bool element = false;  ///< the value is in the array of that name

  [[nodiscard]] Error error(const std::string& what) const;
  [[nodiscard]] Error unknown(const Json& value) const;
};

// Each throws malformed() unless a value is of its kind and in its range.
[[nodiscard]] const Json& member(const Json& json, const char* name);
[[nodiscard]] const std::string& text_of(const Json& value, const Place& place);
[[nodiscard]] bool flag_of(const Json& value, const Place& place);
[[nodiscard]] double number_of(const Json& value, const Place& place);
template <std::integral T>
[[nodiscard]] T whole_of(const Json& value, const Place& place);

/// How a T is written, read and described.
template <class T>
struct Form;

/// fields()'s `json` that writes.
class Writer {
 public:
  explicit Writer(Ordered& json) : json_(json) {}

  /// The record's name and meaning in the schema; without it, its fields stand where it is used.
  void record(const char* /*name*/, const char* /*text*/ = "") {}
  template <class T>
  void operator()(const char* name, T& value, const About& /*about*/ = {}) {
    json_[name] = Form<T>::write(value);
  }
  /// Follows from other members: readers work it out anew.
  template <class T>
  void derived(const char* name, T value, const About& about = {}) {
    (*this)(name, value, about);
  }
  /// An object whose members `list(json)` lists, in the way of fields().
  void object(const char* name, const auto& list, const About& /*about*/ = {}) {
    Ordered object = Ordered::object();
    Writer writer(object);
    list(writer);
    json_[name] = std::move(object);
  }
  /// Members that are there all or none; whether they were. With `reason`, a text member of that
  /// name says why they are not, and is empty where they are.
  bool group(bool present, const auto& list, const char* /*reason*/ = nullptr) {
    if (present) list(*this);
    return present;
  }

 private:
  Ordered& json_;
};

/// fields()'s `json` that looks whether any of the members is there.
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

/// fields()'s `json` that reads.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  void record(const char* /*name*/, const char* /*text*/ = "") {}
  template <class T>
  void operator()(const char* name, T& value, const About& about = {}) {
    if (about.added_later && !json_.contains(name)) return;
    const Json& found = member(json_, name);
    const Place place{name, about};
    Form<T>::read(found, place, value);
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
    // A text, and an empty one: Json's own empty() is of arrays and objects.
    const bool there =
        finder.found() || (reason != nullptr && member(json_, reason) == Json(std::string()));
    if (there) list(*this);
    return there;
  }

 private:
  const Json& json_;
};

/// fields()'s `json` that describes an object for a JSON Schema.
class Describer {
 public:
  /// Records with a name go to `definitions`.
  explicit Describer(Ordered& definitions) : definitions_(definitions) {}

  void record(const char* name, const char* text = "") {
    name_ = name;
    text_ = text;
  }
  template <class T>
  void operator()(const char* name, T& /*value*/, const About& about = {}) {
    Ordered schema;
    if (about.one_of.empty()) {
      schema = Form<T>::describe(definitions_, about);
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
  /// A group in a group asks for the latter's members in front of it.
  bool group(bool /*present*/, const auto& list, const char* reason = nullptr) {
    const std::vector<std::string> outer = std::exchange(required_, {});
    const bool nested = std::exchange(in_group_, true);
    list(*this);
    add_group(nested ? outer.back() : "", reason);
    in_group_ = nested;
    required_ = outer;
    return false;
  }

  /// The object's schema, or a reference to it. Once.
  [[nodiscard]] Ordered schema();

 private:
  void add(const char* name, Ordered schema, const About& about);
  void add_group(const std::string& outer, const char* reason);

  Ordered& definitions_;
  std::string name_;
  std::string text_;
  std::vector<std::string> required_;  ///< of the object, or of the group that is listed
  bool in_group_ = false;
  Ordered properties_ = Ordered::object();
  Ordered dependencies_;
  Ordered reasons_;
};

// --- values ------------------------------------------------------------------------------------

/// Of whatever has fields().
template <class T>
struct Form {
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
struct Form<bool> {
  static Ordered write(bool value) { return value; }
  static void read(const Json& json, const Place& place, bool& value) {
    value = flag_of(json, place);
  }
  static Ordered describe(Ordered& /*definitions*/, const About& /*about*/) {
    return {{"type", "boolean"}};
  }
};

template <>
struct Form<std::string> {
  static Ordered write(const std::string& value) { return value; }
  static void read(const Json& json, const Place& place, std::string& value) {
    value = text_of(json, place);
  }
  static Ordered describe(Ordered& definitions, const About& about);
};

template <>
struct Form<double> {
  static Ordered write(double value) { return value; }
  static void read(const Json& json, const Place& place, double& value) {
    value = number_of(json, place);
  }
  static Ordered describe(Ordered& definitions, const About& about);
};

template <std::integral T>
struct Form<T> {
  static Ordered write(T value) { return value; }
  static void read(const Json& json, const Place& place, T& value) {
    value = whole_of<T>(json, place);
  }
  static Ordered describe(Ordered& definitions, About about) {
    if (std::is_unsigned_v<T> && !about.minimum) about.minimum = 0;
    Ordered schema = Form<double>::describe(definitions, about);
    schema["type"] = "integer";
    return schema;
  }
};

template <class T>
requires std::is_enum_v<T>
struct Form<T> {
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
struct Form<std::optional<T>> {
  static Ordered write(std::optional<T>& value) {
    return value.has_value() ? Form<T>::write(*value) : Ordered(nullptr);
  }
  static void read(const Json& json, const Place& place, std::optional<T>& value) {
    value.reset();
    if (!json.is_null()) Form<T>::read(json, place, value.emplace());
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    return {{"oneOf", {{{"type", "null"}}, Form<T>::describe(definitions, about)}}};
  }
};

template <class T>
struct Form<std::vector<T>> {
  static Ordered write(std::vector<T>& all) {
    Ordered json = Ordered::array();
    for (T& element : all) json.push_back(Form<T>::write(element));
    return json;
  }
  static void read(const Json& json, const Place& place, std::vector<T>& all) {
    if (!json.is_array()) throw place.error("is not an array");
    if (json.size() < place.about.least_items) throw place.error("has too few elements");
    all.clear();
    all.reserve(json.size());
    for (const Json& element : json) {
      Form<T>::read(element, {place.name, place.about, true}, all.emplace_back());
    }
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    Ordered schema{{"type", "array"}, {"items", Form<T>::describe(definitions, about)}};
    if (about.least_items > 0) schema["minItems"] = about.least_items;
    return schema;
  }
};

template <class T, std::size_t kSize>
struct Form<std::array<T, kSize>> {
  static Ordered write(const std::array<T, kSize>& all) {
    std::vector<T> elements(all.begin(), all.end());
    return Form<std::vector<T>>::write(elements);
  }
  static void read(const Json& json, const Place& place, std::array<T, kSize>& all) {
    std::vector<T> elements;
    Form<std::vector<T>>::read(json, place, elements);
    if (elements.size() != kSize) throw place.error(fmt::format("has not {} elements", kSize));
    std::ranges::move(elements, all.begin());
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    Ordered schema = Form<std::vector<T>>::describe(definitions, about);
    schema["minItems"] = kSize;
    schema["maxItems"] = kSize;
    return schema;
  }
};

template <class T>
struct Form<std::set<T>> {
  static Ordered write(const std::set<T>& all) {
    std::vector<T> elements(all.begin(), all.end());
    return Form<std::vector<T>>::write(elements);
  }
  static void read(const Json& json, const Place& place, std::set<T>& all) {
    std::vector<T> elements;
    Form<std::vector<T>>::read(json, place, elements);
    all = {elements.begin(), elements.end()};
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    Ordered schema = Form<std::vector<T>>::describe(definitions, about);
    schema["uniqueItems"] = true;
    return schema;
  }
};

template <class T>
struct Form<std::map<std::string, T>> {
  static Ordered write(std::map<std::string, T>& all) {
    Ordered json = Ordered::object();
    for (auto& [name, value] : all) json[name] = Form<T>::write(value);
    return json;
  }
  static void read(const Json& json, const Place& place, std::map<std::string, T>& all) {
    if (!json.is_object()) throw place.error("is not an object");
    for (const char* const name : place.about.keys) static_cast<void>(member(json, name));
    all.clear();
    for (const auto& [name, value] : json.items()) {
      Form<T>::read(value, {name.c_str(), place.about}, all[name]);
    }
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    return {{"type", "object"},
            {"required", about.keys},
            {"additionalProperties", Form<T>::describe(definitions, about)}};
  }
};

template <std::integral T>
T whole_of(const Json& value, const Place& place) {
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

/// A document of ours, for messages and checks.
struct DocumentKind {
  const char* schema;  ///< its member "schema"
  int version;         ///< the one that is written and the highest that is read
  const char* what;    ///< "result of sidecore gate"
  int oldest = 1;      ///< the lowest version that is read
};

/// Throws Error (usage) that names `origin` when the text is no whole JSON document, or has a
/// number beyond a double's range. nlohmann::json, or ordered_json for whoever keeps the members'
/// order.
template <class AnyJson>
[[nodiscard]] AnyJson parse(const std::string& text, const std::string& origin) {
  try {
    return AnyJson::parse(text);
  } catch (const typename AnyJson::parse_error& error) {
    throw usage_error("'{}' is not a whole JSON document (it breaks off or goes wrong at byte {})",
                      origin, error.byte);
  } catch (const typename AnyJson::exception&) {
    throw usage_error("'{}' has a number that is too large to be read", origin);
  }
}

/// Throws Error (usage) that names `origin` when the text is no whole JSON document, none of the
/// kind, or of a newer version.
[[nodiscard]] Json parse_document(const std::string& text, const std::string& origin,
                                  const DocumentKind& kind);
/// With a newline at the end. Bytes that are not UTF-8 are replaced: a device or a path may name
/// itself in such.
[[nodiscard]] std::string to_text(const Ordered& json, int indent = 2);
/// Of a document's head.
void head_fields(auto& json, const DocumentKind& kind) {
  json.derived("schema", std::string(kind.schema), {.one_of = {kind.schema}});
  json.derived("version", kind.version,
               {.text = "Raised when a member changes its meaning or goes; members may be added "
                        "without.",
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

/// Throws Error (usage) as parse_document(), and when the document is not valid or `check(record)`
/// throws malformed().
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

/// What write_document() writes, as a JSON Schema. `text` says what the document is.
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
