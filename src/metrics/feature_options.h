// Options of a feature, as libvmaf names, types and bounds them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sidecore::metrics {

enum class OptionType : std::uint8_t { boolean, integer, real, choice };

/// What an option may be. Values of every type are held as doubles; booleans are 0 and 1, choices
/// their index.
struct OptionSpec {
  std::string_view name;  ///< as libvmaf spells it, e.g. "adm_enhn_gain_limit"
  OptionType type = OptionType::boolean;
  double default_value = 0;
  double min = 0;  ///< of integer and real, inclusive
  double max = 1;
  /// Under this abbreviation, a value other than the default is appended to the names of the
  /// feature's outputs: with "egl", adm2 becomes adm2_egl_1. Empty: names stay as they are.
  std::string_view abbreviation = {};
  std::span<const std::string_view> choices = {};  ///< of a choice
  /// A boolean whose true adds outputs and changes no value of the others.
  bool adds_outputs = false;
};

/// The values of a feature's options. Names asked for must be among the specs (asserted).
class FeatureOptions {
 public:
  FeatureOptions() = default;
  /// The defaults. `specs` outlives the object.
  explicit FeatureOptions(std::span<const OptionSpec> specs);

  [[nodiscard]] bool flag(std::string_view name) const { return value(name) != 0; }
  [[nodiscard]] int integer(std::string_view name) const { return static_cast<int>(value(name)); }
  [[nodiscard]] double real(std::string_view name) const { return value(name); }

  /// Sets an option from text: true or false, a decimal integer, a decimal number, one of the
  /// choices. Throws Error (usage) when there is no such option, the text is no value of its type,
  /// or the value is out of range.
  void set(std::string_view name, std::string_view text);

  /// The options that are not at their defaults, as requests spell them: "debug=true:scale=1";
  /// empty when there is none.
  [[nodiscard]] std::string text() const;

  /// What the options append to the names of outputs, in alphabetical order of the options' names:
  /// abbreviation and value, e.g. "_egl_1"; of booleans the abbreviation alone.
  [[nodiscard]] std::string name_suffix() const;

  /// Takes over what adds outputs, if all other options are the same; returns false if not.
  /// `other` is of the same feature.
  bool add_outputs_of(const FeatureOptions& other);

  bool operator==(const FeatureOptions& other) const { return values_ == other.values_; }

 private:
  [[nodiscard]] double value(std::string_view name) const;

  std::span<const OptionSpec> specs_;
  std::vector<double> values_;
};

}  // namespace sidecore::metrics
