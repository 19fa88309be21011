#include "v3dsim/drm/settings.h"

#include <unistd.h>

#include <charconv>
#include <vector>

#include "base/error.h"

namespace sidecore::v3dsim {
namespace {

struct Switch {
  std::string_view name;
  std::string_view accepts;
  /// Sets the switch; returns false if the value is not allowed.
  bool (*set)(Settings&, std::string_view);
};

template <class T>
bool set_number(T& field, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (value < least || value > most) return false;
  field = static_cast<T>(value);
  return true;
}

bool set_flag(bool& field, std::string_view text) {
  if (text != "0" && text != "1") return false;
  field = text == "1";
  return true;
}

template <class T>
bool set_choice(T& field, std::string_view text, std::string_view first, T first_value,
                std::string_view second, T second_value) {
  if (text != first && text != second) return false;
  field = text == first ? first_value : second_value;
  return true;
}

bool set_version(Settings& settings, std::string_view text) {
  return set_choice(settings.version, text, "4.2", Version::v42, "7.1", Version::v71);
}

bool set_order(Settings& settings, std::string_view text) {
  return set_choice(settings.options.order, text, "in-order", Order::in_order, "random",
                    Order::random);
}

bool set_seed(Settings& settings, std::string_view text) {
  if (!set_number(settings.options.seed, text, 0, UINT64_MAX)) return false;
  settings.options.disturbance.seed = settings.options.seed;
  return true;
}

bool set_races(Settings& settings, std::string_view text) {
  settings.options.lanes_are_ordered = text == "ordered-lanes";
  return set_flag(settings.options.check_races,
                  settings.options.lanes_are_ordered ? std::string_view("1") : text);
}

bool set_executor(Settings& settings, std::string_view text) {
  settings.executor.emplace();
  return set_number(*settings.executor, text, 0, 1U << 20);
}

using S = Settings&;
using V = std::string_view;

const Switch kSwitches[] = {
    {"VERSION", "4.2 or 7.1", set_version},
    {"ORDER", "in-order or random", set_order},
    {"SEED", "0..2^64-1", set_seed},
    {"THREADS", "1..256", [](S s, V v) { return set_number(s.options.host_threads, v, 1, 256); }},
    {"POISON", "0 or 1", [](S s, V v) { return set_flag(s.options.poison, v); }},
    {"SFU_ULP", "0..4096",
     [](S s, V v) { return set_number(s.options.disturbance.ulps, v, 0, 4096); }},
    {"RACES", "0, 1 or ordered-lanes", set_races},
    {"BOUNDS", "live or job",
     [](S s, V v) { return set_choice(s.bounds, v, "live", Bounds::live, "job", Bounds::job); }},
    {"TIMESTAMPS", "host or model",
     [](S s, V v) {
       return set_choice(s.timestamps, v, "host", TimestampSource::host, "model",
                         TimestampSource::model);
     }},
    {"CPU_QUEUE", "0 or 1", [](S s, V v) { return set_flag(s.cpu_queue, v); }},
    {"EXPLAIN", "0 or 1", [](S s, V v) { return set_flag(s.explain, v); }},
    {"STATISTICS", "a file name",
     [](S s, V v) {
       s.statistics = v;
       return !v.empty();
     }},
    {"RECORD", "a file name",
     [](S s, V v) {
       s.record = v;
       return !v.empty();
     }},
    {"EXECUTOR", "0..2^20", set_executor},
};

}  // namespace

Settings parse_settings(std::span<const std::pair<std::string, std::string>> environment) {
  Settings settings;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kSettingsPrefix)) continue;
    const std::string_view key = std::string_view(name).substr(kSettingsPrefix.size());
    const Switch* found = nullptr;
    for (const Switch& known : kSwitches) {
      if (known.name == key) found = &known;
    }
    if (found == nullptr) throw usage_error("the simulator has no switch {}", name);
    if (!found->set(settings, value)) {
      throw usage_error("{} must be {}, not '{}'", name, found->accepts, value);
    }
  }
  return settings;
}

Settings settings_from_environment() {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return parse_settings(pairs);
}

}  // namespace sidecore::v3dsim
