#include "metrics/feature_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

std::size_t find(std::span<const OptionSpec> specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &OptionSpec::name);
  return static_cast<std::size_t>(found - specs.begin());
}

std::string known_names(std::span<const OptionSpec> specs) {
  if (specs.empty()) return "it has none";
  std::string names;
  for (const OptionSpec& spec : specs) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", spec.name);
  }
  return names;
}

double parse_boolean(const OptionSpec& spec, std::string_view text) {
  if (text == "true") return 1;
  if (text == "false") return 0;
  throw usage_error("option {} must be true or false, not '{}'", spec.name, text);
}

template <class Number>
double parse_number(const OptionSpec& spec, std::string_view text, const char* kind) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (status == std::errc::invalid_argument || stop != end) {
    throw usage_error("option {} must be {}, not '{}'", spec.name, kind, text);
  }
  const auto value = static_cast<double>(number);
  // This check also rejects NaN.
  if (status != std::errc{} || !(value >= spec.min && value <= spec.max)) {
    throw usage_error("option {} must be {} to {}, not {}", spec.name, spec.min, spec.max, text);
  }
  return value;
}

double parse_choice(const OptionSpec& spec, std::string_view text) {
  const auto found = std::ranges::find(spec.choices, text);
  if (found == spec.choices.end()) {
    throw usage_error("option {} must be {}, not '{}'", spec.name, fmt::join(spec.choices, " or "),
                      text);
  }
  return static_cast<double>(found - spec.choices.begin());
}

double parse(const OptionSpec& spec, std::string_view text) {
  switch (spec.type) {
    case OptionType::boolean:
      return parse_boolean(spec, text);
    case OptionType::integer:
      return parse_number<int>(spec, text, "an integer");
    case OptionType::real:
      return parse_number<double>(spec, text, "a number");
    case OptionType::choice:
      return parse_choice(spec, text);
  }
  return 0;
}

/// Returns the text that parse() reads as `value`.
std::string value_text(const OptionSpec& spec, double value) {
  if (spec.type == OptionType::choice) {
    return std::string(spec.choices[static_cast<std::size_t>(value)]);
  }
  if (spec.type == OptionType::boolean) return value != 0 ? "true" : "false";
  return fmt::format("{}", value);
}

}  // namespace

FeatureOptions::FeatureOptions(std::span<const OptionSpec> specs) : specs_(specs) {
  for (const OptionSpec& spec : specs) values_.push_back(spec.default_value);
}

double FeatureOptions::value(std::string_view name) const {
  const std::size_t index = find(specs_, name);
  assert(index < values_.size());
  return values_[index];
}

void FeatureOptions::set(std::string_view name, std::string_view text) {
  const std::size_t index = find(specs_, name);
  if (index == specs_.size()) {
    throw usage_error("there is no option '{}': {}", name, known_names(specs_));
  }
  values_[index] = parse(specs_[index], text);
}

bool FeatureOptions::add_outputs_of(const FeatureOptions& other) {
  std::vector<double> merged = values_;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].adds_outputs) {
      merged[i] = std::max(merged[i], other.values_[i]);
    } else if (merged[i] != other.values_[i]) {
      return false;
    }
  }
  values_ = std::move(merged);
  return true;
}

std::string FeatureOptions::text() const {
  std::string text;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (values_[i] == specs_[i].default_value) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ":", specs_[i].name,
                        value_text(specs_[i], values_[i]));
  }
  return text;
}

std::string FeatureOptions::name_suffix() const {
  std::vector<std::size_t> order(specs_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return specs_[i].name; });
  std::string suffix;
  for (const std::size_t i : order) {
    const OptionSpec& spec = specs_[i];
    if (spec.abbreviation.empty() || values_[i] == spec.default_value) continue;
    suffix += fmt::format("_{}", spec.abbreviation);
    if (spec.type == OptionType::boolean) continue;
    suffix += spec.type == OptionType::choice
                  ? fmt::format("_{}", spec.choices[static_cast<std::size_t>(values_[i])])
                  : fmt::format("_{:g}", values_[i]);
  }
  return suffix;
}

}  // namespace sidecore::metrics
