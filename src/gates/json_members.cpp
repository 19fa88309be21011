#include "gates/json_members.h"

namespace sidecore::gates::json {

Json parse_document(const std::string& text, const std::string& origin, const DocumentKind& kind) {
  Json json = parse_json<Json>(text, origin);
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  if (schema == json.end() || *schema != kind.schema) {
    throw usage_error("'{}' is not {}: it lacks \"schema\": \"{}\"", origin, kind.what,
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
  return json;
}

}  // namespace sidecore::gates::json
