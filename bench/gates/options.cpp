#include "gates/options.h"

#include <array>
#include <cctype>
#include <filesystem>

#include "base/error.h"

namespace sidecore::gates {
namespace {

constexpr std::array<const char*, 5> kGateNames{"M1", "M2", "M3", "M4", "M5"};

}  // namespace

const char* to_string(Gate gate) {
  return kGateNames[static_cast<std::size_t>(gate)];
}

Gate parse_gate(const std::string& name) {
  std::string upper;
  for (const char letter : name) {
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  for (std::size_t gate = 0; gate < kGateNames.size(); ++gate) {
    if (upper == kGateNames[gate]) return static_cast<Gate>(gate);
  }
  throw usage_error("no gate '{}'; the gates are m1, m2, m3, m4 and m5", name);
}

std::string content_name(const GateOptions& options, Content content) {
  if (content != Content::input || options.input.empty()) return to_string(content);
  return std::filesystem::path(options.input).filename().native();
}

std::vector<Content> contents_of(const GateOptions& options) {
  if (!options.contents.empty()) return options.contents;
  std::vector<Content> contents = synthetic_contents();
  if (!options.input.empty()) contents.push_back(Content::input);
  return contents;
}

std::vector<Content> m4_contents(const GateOptions& options) {
  if (!options.contents.empty()) return options.contents;
  return {options.input.empty() ? Content::smooth : Content::input};
}

}  // namespace sidecore::gates
