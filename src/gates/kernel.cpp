#include "gates/kernel.h"

#include <array>
#include <utility>

#include "base/error.h"

namespace sidecore::gates {
namespace {

constexpr std::array<std::pair<Content, const char*>, 5> kContentNames{{
    {Content::random, "random"},
    {Content::smooth, "smooth"},
    {Content::flat, "flat"},
    {Content::high_variance, "high_variance"},
    {Content::input, "input"},
}};

}  // namespace

const char* to_string(Content content) {
  for (const auto& [value, name] : kContentNames) {
    if (value == content) return name;
  }
  return "unknown";
}

Content parse_content(std::string_view name) {
  std::string known;
  for (const auto& [value, known_name] : kContentNames) {
    if (name == known_name) return value;
    known += known.empty() ? known_name : std::string(", ") + known_name;
  }
  throw usage_error("no content '{}'; known are {}", name, known);
}

std::vector<Content> synthetic_contents() {
  return {Content::random, Content::smooth, Content::flat, Content::high_variance};
}

}  // namespace sidecore::gates
