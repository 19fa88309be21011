#include "players/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "base/configuration.h"
#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/text_file.h"

namespace sidecore::players {
namespace {

constexpr std::size_t kMaxBytes = 65536;

/// Returns `value` as an integer of 1 to `most`. Throws Error (usage) that names `key`.
template <class Integer>
Integer number(std::string_view key, std::string_view value, Integer most) {
  Integer number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > most) {
    throw usage_error("{}: '{}' is not a whole number from 1 to {}", key, value, most);
  }
  return number;
}

/// Sets one setting from text. Throws Error (usage) for an unknown key or a wrong value.
void set(std::string_view key, std::string_view value, Settings& settings) {
  if (key == "plan") {
    settings.plan = vp9::Plan::parse(value);
    if (settings.plan.has_filter_options()) {
      throw usage_error(
          "plan: '{}' has a suffix for the loop filter's order, which players do not accept",
          value);
    }
    settings.plan_text = value;
  } else if (key == "threads") {
    settings.threads = number(key, value, kMaxThreads);
  } else if (key == "max_pixels") {
    constexpr std::int64_t kLargestSide = video::kMaxDimension;
    settings.max_pixels = number(key, value, kLargestSide * kLargestSide);
  } else if (key == "device") {
    settings.device = value;
  } else if (key == "stage_times") {
    if (value != "on" && value != "off") {
      throw usage_error("stage_times: '{}' is neither on nor off", value);
    }
    settings.stage_times = value == "on";
  } else if (key == "dma_heap") {
    settings.dma_heap = value;
  } else if (key == "metrics") {
    constexpr std::array<std::string_view, 3> kProcessors{"scalar", "neon", "qpu"};
    const auto found = std::ranges::find(kProcessors, value);
    if (found == kProcessors.end()) {
      throw usage_error("metrics: '{}' is not scalar, neon or qpu", value);
    }
    settings.metrics = static_cast<MetricsProcessor>(found - kProcessors.begin());
  } else {
    throw usage_error(
        "'{}' is not a setting: use plan, threads, device, max_pixels, stage_times, dma_heap or "
        "metrics",
        key);
  }
}

void apply_file(const std::filesystem::path& file, Settings& settings, const Report& report) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) return;
  try {
    // The file must be regular, because reading a pipe or a device could block the player forever.
    if (!std::filesystem::is_regular_file(status)) {
      throw usage_error("'{}' is not a regular file", file.native());
    }
    apply_settings(read_text_file(file, kMaxBytes), file.string(), settings, report);
  } catch (const Error& unreadable) {
    report(printable(unreadable.what()));
  }
}

}  // namespace

void apply_settings(std::string_view text, const std::string& name, Settings& settings,
                    const Report& report) {
  // Byte order mark, which some editors write.
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view line = trimmed(whole.substr(0, whole.find('#')));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    try {
      if (equals == std::string_view::npos) throw usage_error("'{}' is not KEY = VALUE", line);
      set(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)), settings);
    } catch (const Error& error) {
      report(printable(fmt::format("{}, line {}: {}", name, number, error.what())));
    }
  }
}

Settings read_settings(const Report& report) {
  Settings settings;
  settings.threads = default_threads();
  apply_file(kSystemConfiguration, settings, report);
  if (const std::filesystem::path own = user_configuration(); !own.empty()) {
    apply_file(own, settings, report);
  }
  constexpr std::array<std::array<const char*, 2>, 7> kVariables{
      {{"SIDECORE_PLAN", "plan"},
       {"SIDECORE_THREADS", "threads"},
       {"SIDECORE_DEVICE", "device"},
       {"SIDECORE_MAX_PIXELS", "max_pixels"},
       {"SIDECORE_STAGE_TIMES", "stage_times"},
       {"SIDECORE_DMA_HEAP", "dma_heap"},
       {"SIDECORE_METRICS", "metrics"}}};
  for (const auto& [variable, key] : kVariables) {
    const char* const said = secure_getenv(variable);
    const std::string_view value = trimmed(said == nullptr ? "" : said);
    if (value.empty()) continue;
    try {
      set(key, value, settings);
    } catch (const Error& error) {
      report(printable(fmt::format("{}: {}", variable, error.what())));
    }
  }
  return settings;
}

}  // namespace sidecore::players
