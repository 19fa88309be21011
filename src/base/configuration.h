// The configuration file of players: lines of KEY = VALUE, and comments after #.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sidecore {

inline constexpr const char* kSystemConfiguration = "/etc/sidecore.conf";
/// Read after kSystemConfiguration: $XDG_CONFIG_HOME/sidecore.conf, $HOME/.config/sidecore.conf
/// without it. Empty where neither is an absolute path, and for a program with more rights than its
/// user.
[[nodiscard]] std::filesystem::path user_configuration();

struct Setting {
  std::string key;
  std::string value;
};

/// A configuration file's text with these settings at its end, behind `origin` as a comment; those
/// of no value are only taken out. Lines that set the same keys go, and so do comments that begin
/// with the first word of `origin`; everything else stays.
[[nodiscard]] std::string with_settings(std::string_view text, std::span<const Setting> settings,
                                        std::string_view origin);

}  // namespace sidecore
