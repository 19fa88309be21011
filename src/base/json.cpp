#include "base/json.h"

#include <cmath>

#include "base/printable.h"

namespace sidecore::json {
namespace {

/// Writes whole numbers without a decimal point.
Ordered as_json(double number) {
  if (number == std::trunc(number) && std::abs(number) < 1e15) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

/// Returns the allowed range as text: "from 0 on", "above 0", "from 0 to 1".
std::string range_text(const About& about) {
  if (about.above) return fmt::format("above {}", *about.above);
  if (!about.minimum) return fmt::format("up to {}", *about.maximum);
  return about.maximum ? fmt::format("from {} to {}", *about.minimum, *about.maximum)
                       : fmt::format("from {} on", *about.minimum);
}

}  // namespace

Error malformed(const std::string& what) {
  return {ErrorKind::usage, printable(what)};
}

Error Place::error(const std::string& what) const {
  return malformed(fmt::format("{}\"{}\" {}", element ? "an element of " : "", name, what));
}

Error Place::unknown(const Json& value) const {
  return error(
      fmt::format("is unknown: '{}'", value.is_string() ? value.get<std::string>() : value.dump()));
}

const Json& member(const Json& json, const char* name) {
  if (!json.is_object()) throw malformed(fmt::format("an object with \"{}\" is expected", name));
  const auto found = json.find(name);
  if (found == json.end()) throw malformed(fmt::format("\"{}\" is missing", name));
  return *found;
}

const std::string& text_of(const Json& value, const Place& place) {
  if (!value.is_string()) throw place.error("is not a text");
  return value.get_ref<const std::string&>();
}

bool flag_of(const Json& value, const Place& place) {
  if (!value.is_boolean()) throw place.error("is not true or false");
  return value.get<bool>();
}

double number_of(const Json& value, const Place& place) {
  if (!value.is_number()) throw place.error("is not a number");
  const auto number = value.get<double>();
  const About& about = place.about;
  if ((about.minimum && number < *about.minimum) || (about.maximum && number > *about.maximum) ||
      (about.above && number <= *about.above)) {
    throw place.error("is not a number " + range_text(about));
  }
  return number;
}

Ordered Converter<std::string>::describe(Ordered& /*definitions*/, const About& about) {
  Ordered schema{{"type", "string"}};
  if (about.pattern != nullptr) schema["pattern"] = about.pattern;
  return schema;
}

Ordered Converter<double>::describe(Ordered& /*definitions*/, const About& about) {
  Ordered schema{{"type", "number"}};
  if (about.minimum) schema["minimum"] = as_json(*about.minimum);
  if (about.maximum) schema["maximum"] = as_json(*about.maximum);
  if (about.above) schema["exclusiveMinimum"] = as_json(*about.above);
  return schema;
}

void Describer::add(const char* name, Ordered schema, const About& about) {
  if (*about.text != '\0') schema["description"] = about.text;
  properties_[name] = std::move(schema);
  required_.emplace_back(name);
}

void Describer::add_group(const std::string& outer, const char* reason) {
  // Each member requires the next one, and the last requires the first, so that all require each
  // other.
  for (std::size_t i = 0; i < required_.size(); ++i) {
    Ordered& needed = dependencies_[required_[i]];
    if (required_.size() > 1) needed.push_back(required_[(i + 1) % required_.size()]);
    if (i == 0 && !outer.empty()) needed.push_back(outer);
  }
  if (reason != nullptr) {
    reasons_.push_back({{"anyOf",
                         {{{"required", {required_.front()}}},
                          {{"properties", {{reason, {{"minLength", 1}}}}}}}}});
  }
}

Ordered Describer::schema() {
  Ordered schema = Ordered::object();
  if (!text_.empty()) schema["description"] = text_;
  schema["type"] = "object";
  schema["required"] = required_;
  schema["properties"] = properties_;
  if (!dependencies_.empty()) schema["dependencies"] = dependencies_;
  if (!reasons_.empty()) schema["allOf"] = reasons_;
  if (name_.empty()) return schema;
  definitions_[name_] = std::move(schema);
  return {{"$ref", "#/definitions/" + name_}};
}

Json parse_document(const std::string& text, const std::string& origin, const DocumentKind& kind) {
  Json json = parse<Json>(text, origin);
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (schema == json.end() || *schema != kind.schema) {
    throw usage_error("'{}' is not a {}: it lacks \"schema\": \"{}\"", origin, kind.what,
                      kind.schema);
  }
  const auto version = json.find("version");
  if (version == json.end() || !version->is_number_unsigned() || *version == 0U) {
    throw usage_error("'{}' does not say which version of {} it is", origin, kind.schema);
  }
  if (version->get<std::uint64_t>() > static_cast<std::uint64_t>(kind.version)) {
    throw usage_error("'{}' is {} version {}, and this sidecore reads up to {}: use a newer one",
                      origin, kind.schema, version->dump(), kind.version);
  }
  if (version->get<std::uint64_t>() < static_cast<std::uint64_t>(kind.oldest)) {
    throw usage_error(
        "'{}' is {} version {}, and this sidecore reads {} and newer ones: create it again with "
        "this version",
        origin, kind.schema, version->dump(), kind.oldest);
  }
  return json;
}

std::string to_text(const Ordered& json, int indent) {
  return json.dump(indent, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace sidecore::json
