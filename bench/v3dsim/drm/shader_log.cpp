#include "v3dsim/drm/shader_log.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

namespace sidecore::v3dsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFiguresStart = "SHADER-DB-";
constexpr std::string_view kListingStart = "MESA_SHADER_";
constexpr std::string_view kListingEnd = " QPU:";
constexpr std::string_view kCodeStart = "0x";

template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value, base);
  if (error != std::errc{} || end != last) return std::nullopt;
  return value;
}

/// Parses "0x" and 16 digits, followed by the instruction in words.
std::optional<std::uint64_t> code_word(std::string_view line) {
  constexpr std::size_t kDigits = 16;
  if (!line.starts_with(kCodeStart) || line.size() < kCodeStart.size() + kDigits) {
    return std::nullopt;
  }
  return parse_number<std::uint64_t>(line.substr(kCodeStart.size(), kDigits), 16);
}

/// Returns the text up to `separator`, or all of it, and removes both from `rest`.
std::string_view take_until(std::string_view& rest, std::string_view separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view head = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + separator.size());
  return head;
}

std::string key_of(std::string_view label) {
  std::string key(label);
  std::ranges::replace(key, '-', '_');
  return key;
}

/// Parses "8 inst", or several figures at once: "0:0 spills:fills".
bool add_figure(std::string_view item, Json& figures) {
  std::string_view values = take_until(item, " ");
  while (!values.empty() && !item.empty()) {
    const auto value = parse_number<std::uint64_t>(take_until(values, ":"));
    if (!value) return false;
    figures[key_of(take_until(item, ":"))] = *value;
  }
  return values.empty() && item.empty();
}

/// Parses a line of figures; nothing if it does not have this driver's form.
std::optional<Json> parse_figures(std::string_view line) {
  line.remove_prefix(kFiguresStart.size());
  Json figures = {{"name", take_until(line, " - ")}, {"stage", take_until(line, " shader: ")}};
  while (!line.empty()) {
    if (!add_figure(take_until(line, ", "), figures)) return std::nullopt;
  }
  if (!figures.contains("inst")) return std::nullopt;
  return figures;
}

}  // namespace

bool ShaderLog::may_be_driver_line(std::string_view start) const {
  if (start.starts_with(kFiguresStart) || start.starts_with(kListingStart)) return true;
  const std::scoped_lock lock(mutex_);
  const auto found = pending_.find(std::this_thread::get_id());
  const bool in_listing = found != pending_.end() && found->second.in_listing;
  return in_listing && (start.starts_with(kCodeStart) || start.starts_with('\n'));
}

ShaderLog::Line ShaderLog::add(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  Pending& pending = pending_[std::this_thread::get_id()];
  if (line.starts_with(kListingStart) && line.ends_with(kListingEnd)) {
    pending.listings.emplace_back();
    pending.in_listing = true;
    return Line::code;
  }
  if (pending.in_listing) {
    if (const auto word = code_word(line)) {
      pending.listings.back().push_back(*word);
      return Line::code;
    }
    pending.in_listing = false;
    if (line.empty()) return Line::code;
  }
  return line.starts_with(kFiguresStart) ? add_figures(line, pending) : Line::foreign;
}

ShaderLog::Line ShaderLog::add_figures(std::string_view line, Pending& pending) {
  const std::optional<Json> figures = parse_figures(line);
  if (!figures) return Line::foreign;
  const std::string text = figures->dump();
  for (Code& code : pending.listings) {
    if (code.size() == figures->at("inst").get<std::size_t>()) {
      shaders_.push_back({text, std::move(code)});
    }
  }
  pending.listings.clear();
  return Line::figures;
}

std::string ShaderLog::find(std::span<const std::byte> memory) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(shaders_.rbegin(), shaders_.rend(), [&](const Shader& shader) {
    const auto code = std::as_bytes(std::span(shader.code));
    return code.size() <= memory.size() &&
           std::memcmp(code.data(), memory.data(), code.size()) == 0;
  });
  return found == shaders_.rend() ? std::string() : found->figures;
}

}  // namespace sidecore::v3dsim
