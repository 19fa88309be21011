// The configuration file of players: lines of KEY = VALUE, with comments after #.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sidecore {

inline constexpr const char* kSystemConfiguration = "/etc/sidecore.conf";
/// Returns the user's configuration file, which is read after kSystemConfiguration:
/// $XDG_CONFIG_HOME/sidecore.conf, or $HOME/.config/sidecore.conf if that variable is not set.
/// Empty if neither path is absolute, or if the program has more rights than its user.
[[nodiscard]] std::filesystem::path user_configuration();

/// One line KEY = VALUE of a configuration file.
struct Setting {
  std::string key;
  std::string value;
};

/// Returns the text of a configuration file with `settings` at its end, after `origin` as a
/// comment. A setting with an empty value is only removed. Removes earlier lines that set the same
/// keys, and comments that begin with the first word of `origin`. All other lines stay.
[[nodiscard]] std::string with_settings(std::string_view text, std::span<const Setting> settings,
                                        std::string_view origin);

}  // namespace sidecore
