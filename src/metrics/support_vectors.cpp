#include "metrics/support_vectors.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/printable.h"

namespace sidecore::metrics {
namespace {

/// Largest number of support vectors in a model.
constexpr std::size_t kMaxSupportVectors = 1 << 20;

/// Returns the text before `end`, and removes it and `end` from `text`.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return taken;
}

/// Removes and returns the next word of a line; empty at its end.
std::string_view take_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \r\t"), line.size()));
  return take_until(line, ' ');
}

template <class Number>
std::optional<Number> support_vector_number(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\t')) text.remove_suffix(1);
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc{} || stop != end) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return std::nullopt;
  }
  return number;
}

class SupportVectorReader {
 public:
  SupportVectorReader(std::string_view text, std::string origin)
      : text_(text), origin_(std::move(origin)) {}

  [[nodiscard]] Error error(const std::string& what) const {
    return usage_error("{}: its support vector machine {}", origin_, printable(what));
  }
  [[nodiscard]] bool at_end() const {
    return text_.find_first_not_of(" \r\t\n") == std::string_view::npos;
  }
  std::string_view line() {
    if (at_end()) throw error("is incomplete");
    return take_until(text_, '\n');
  }
  template <class Number>
  Number number(std::string_view text) const {
    const auto value = support_vector_number<Number>(text);
    if (!value) throw error(fmt::format("has '{}' where a number is required", text));
    return *value;
  }
  void expect(std::string_view member, std::string_view value, std::string_view expected) const {
    if (value == expected) return;
    throw error(fmt::format("has the {0} '{1}'; it must be {2}", member, value, expected));
  }

 private:
  std::string_view text_;
  std::string origin_;
};

}  // namespace

SupportVectors::SupportVectors(std::string_view text, std::size_t inputs, const std::string& origin)
    : inputs_(inputs) {
  SupportVectorReader reader(text, origin);
  std::optional<double> gamma;
  std::optional<double> rho;
  std::optional<std::size_t> count;
  bool is_regression = false;
  bool is_gaussian = false;
  while (true) {
    std::string_view line = reader.line();
    const std::string_view member = take_word(line);
    if (member == "SV") break;
    const std::string_view value = take_word(line);
    if (member == "svm_type") {
      reader.expect(member, value, "nu_svr");
      is_regression = true;
    } else if (member == "kernel_type") {
      reader.expect(member, value, "rbf");
      is_gaussian = true;
    } else if (member == "nr_class") {
      reader.expect(member, value, "2");
    } else if (member == "gamma") {
      gamma = reader.number<double>(value);
    } else if (member == "rho") {
      rho = reader.number<double>(value);
    } else if (member == "total_sv") {
      count = reader.number<std::size_t>(value);
      // These two members are not needed for a prediction.
    } else if (member != "probA" && member != "probB") {
      throw reader.error(fmt::format("has an unknown member '{}'", member));
    }
  }
  if (!gamma || !rho || !count || !is_regression || !is_gaussian) {
    throw reader.error("lacks one of svm_type, kernel_type, gamma, rho and total_sv");
  }
  if (*count == 0 || *count > kMaxSupportVectors) {
    throw reader.error(
        fmt::format("has {} vectors; it must have 1 to {}", *count, kMaxSupportVectors));
  }
  gamma_ = *gamma;
  rho_ = *rho;
  for (std::size_t vector = 0; vector < *count; ++vector) {
    std::string_view line = reader.line();
    coefficients_.push_back(reader.number<double>(take_word(line)));
    elements_.resize(elements_.size() + inputs_);
    const std::span<double> elements = std::span(elements_).last(inputs_);
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      const auto index = reader.number<std::size_t>(take_until(word, ':'));
      if (index == 0 || index > inputs_) {
        throw reader.error(fmt::format("has an element {}, but only {} features", index, inputs_));
      }
      elements[index - 1] = reader.number<double>(word);
    }
  }
  if (!reader.at_end()) throw reader.error(fmt::format("has more than {} vectors", *count));
}

double SupportVectors::predict(std::span<const double> inputs) const {
  assert(inputs.size() == inputs_);
  double prediction = 0;
  for (std::size_t vector = 0; vector < coefficients_.size(); ++vector) {
    const double* const elements = elements_.data() + vector * inputs_;
    double distance = 0;
    for (std::size_t i = 0; i < inputs_; ++i) {
      const double difference = inputs[i] - elements[i];
      distance += difference * difference;
    }
    prediction += coefficients_[vector] * std::exp(-gamma_ * distance);
  }
  return prediction - rho_;
}

}  // namespace sidecore::metrics
