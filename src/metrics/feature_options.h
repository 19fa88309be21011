// Options of a feature, with libvmaf's names, types and ranges.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sidecore::metrics {

enum class OptionType : std::uint8_t { boolean, integer, real, choice };

/// Name, type and range of an option. Values of every type are held as doubles: a boolean as 0 or
/// 1, a choice as its index.
struct OptionSpec {
  std::string_view name;  ///< name as in libvmaf, e.g. "adm_enhn_gain_limit"
  OptionType type = OptionType::boolean;
  double default_value = 0;
  double min = 0;  ///< smallest and largest allowed value, for integer and real options
  double max = 1;
  /// Abbreviation in output names. A value other than the default is appended with it: with "egl",
  /// adm2 becomes adm2_egl_1. If it is empty, names do not change.
  std::string_view abbreviation = {};
  std::span<const std::string_view> choices = {};  ///< values of a choice
  /// True for a boolean that, if set, adds outputs and changes no other value.
  bool adds_outputs = false;
};

/// Values of a feature's options. A name passed to it must be among the specs (asserted).
class FeatureOptions {
 public:
  FeatureOptions() = default;
  /// Sets all options to their defaults. `specs` must outlive the object.
  explicit FeatureOptions(std::span<const OptionSpec> specs);

  [[nodiscard]] bool flag(std::string_view name) const { return value(name) != 0; }
  [[nodiscard]] int integer(std::string_view name) const { return static_cast<int>(value(name)); }
  [[nodiscard]] double real(std::string_view name) const { return value(name); }

  /// Sets an option from text: true or false, a decimal integer, a decimal number, or one of the
  /// choices. Throws Error (usage) if the option does not exist, the text does not have its type,
  /// or the value is out of range.
  void set(std::string_view name, std::string_view text);

  /// Returns the options that differ from their defaults, in the form of requests:
  /// "debug=true:scale=1". Empty if there are none.
  [[nodiscard]] std::string text() const;

  /// Returns the suffix that the options add to output names, sorted by option name: abbreviation
  /// and value, e.g. "_egl_1". A boolean adds its abbreviation only.
  [[nodiscard]] std::string name_suffix() const;

  /// Adds the outputs that `other`, of the same feature, asks for, if all other options are equal.
  /// Returns false if they are not.
  bool add_outputs_of(const FeatureOptions& other);

  bool operator==(const FeatureOptions& other) const { return values_ == other.values_; }

 private:
  [[nodiscard]] double value(std::string_view name) const;

  std::span<const OptionSpec> specs_;
  std::vector<double> values_;
};

}  // namespace sidecore::metrics
