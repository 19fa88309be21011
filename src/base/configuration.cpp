#include "base/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/text_file.h"

namespace sidecore {
std::filesystem::path user_configuration() {
  if (const char* const directory = secure_getenv("XDG_CONFIG_HOME");
      directory != nullptr && *directory == '/') {
    return std::filesystem::path(directory) / "sidecore.conf";
  }
  if (const char* const home = secure_getenv("HOME"); home != nullptr && *home == '/') {
    return std::filesystem::path(home) / ".config" / "sidecore.conf";
  }
  return {};
}

std::string with_settings(std::string_view text, std::span<const Setting> settings,
                          std::string_view origin) {
  const std::string mark = fmt::format("# {}", origin.substr(0, origin.find(' ')));
  const auto is_replaced = [&](std::string_view line) {
    if (line.starts_with(mark)) return true;
    const std::string_view key = trimmed(line.substr(0, line.find('=')));
    return std::ranges::find(settings, key, &Setting::key) != settings.end();
  };
  std::string changed;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!is_replaced(line)) changed += fmt::format("{}\n", line);
  }
  changed += fmt::format("# {}\n", origin);
  for (const Setting& setting : settings) {
    if (setting.value.empty()) continue;
    changed += fmt::format("{} = {}\n", setting.key, setting.value);
  }
  return changed;
}

}  // namespace sidecore
