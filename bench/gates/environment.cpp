#include "gates/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "gates/throttle_flags.h"

namespace sidecore::gates {
namespace {

namespace fs = std::filesystem;

std::string without_padding(std::string text) {
  const auto is_padding = [](char c) {
    return c == '\0' || c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '"';
  };
  while (!text.empty() && is_padding(text.back())) text.pop_back();
  const auto start = std::find_if_not(text.begin(), text.end(), is_padding);
  text.erase(text.begin(), start);
  return text;
}

/// Returns the file's text without surrounding white space and zero bytes; empty if unreadable.
std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return without_padding({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

template <class Number>
std::optional<Number> parse(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns the value of the first line "KEY SEPARATOR VALUE" of a text.
std::string value_of(const std::string& text, std::string_view key, char separator) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    const std::size_t split = line.find(separator);
    if (split != std::string::npos && without_padding(line.substr(0, split)) == key) {
      return without_padding(line.substr(split + 1));
    }
    start = end + 1;
  }
  return {};
}

std::string cpu_model(const fs::path& root) {
  const std::string cpuinfo = read_text(root / "proc/cpuinfo");
  for (const char* key : {"model name", "Model", "Hardware", "CPU part"}) {
    std::string model = value_of(cpuinfo, key, ':');
    if (!model.empty()) return std::string_view(key) == "CPU part" ? "CPU part " + model : model;
  }
  return {};
}

std::string board(const fs::path& root, const std::string& cpu) {
  std::string model = read_text(root / "proc/device-tree/model");
  if (!model.empty()) return model;
  const fs::path dmi = root / "sys/class/dmi/id";
  model = without_padding(read_text(dmi / "sys_vendor") + " " + read_text(dmi / "product_name"));
  return model.empty() ? cpu : model;
}

std::optional<double> megahertz(const fs::path& path) {
  const auto kilohertz = parse<std::uint64_t>(read_text(path));
  if (!kilohertz.has_value()) return std::nullopt;
  return static_cast<double>(*kilohertz) / 1000.0;
}

/// Returns the directories FOLDER/PREFIXnumber, sorted by the number.
std::vector<std::pair<int, fs::path>> numbered(const fs::path& folder, std::string_view prefix) {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (!std::string_view(name).starts_with(prefix)) continue;
    const auto number = parse<int>(std::string_view(name).substr(prefix.size()));
    if (number.has_value()) found.emplace_back(*number, entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<CpuState> cpu_states(const fs::path& root) {
  std::vector<CpuState> states;
  for (const auto& [cpu, folder] : numbered(root / "sys/devices/system/cpu", "cpu")) {
    // A missing file `online` means that the CPU is on: CPU 0, which cannot be switched off, often
    // has none.
    if (read_text(folder / "online") == "0") continue;
    states.push_back({cpu, read_text(folder / "cpufreq/scaling_governor"),
                      megahertz(folder / "cpufreq/scaling_cur_freq"),
                      megahertz(folder / "cpufreq/cpuinfo_max_freq")});
  }
  return states;
}

std::vector<Temperature> temperatures(const fs::path& root) {
  std::vector<Temperature> all;
  for (const auto& [number, folder] : numbered(root / "sys/class/thermal", "thermal_zone")) {
    const auto millidegrees = parse<int>(read_text(folder / "temp"));
    if (!millidegrees.has_value()) continue;
    std::string type = read_text(folder / "type");
    if (type.empty()) type = fmt::format("zone {}", number);
    all.push_back({std::move(type), *millidegrees / 1000.0});
  }
  return all;
}

std::optional<std::uint64_t> core_throttle_events(const fs::path& root) {
  std::optional<std::uint64_t> sum;
  for (const auto& [cpu, folder] : numbered(root / "sys/devices/system/cpu", "cpu")) {
    const auto count =
        parse<std::uint64_t>(read_text(folder / "thermal_throttle/core_throttle_count"));
    if (count.has_value()) sum = sum.value_or(0) + *count;
  }
  return sum;
}

std::optional<std::array<double, 3>> load_average(const fs::path& root) {
  std::ifstream file(root / "proc/loadavg");
  std::array<double, 3> load{};
  if (!(file >> load[0] >> load[1] >> load[2])) return std::nullopt;
  return load;
}

std::string now_utc() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace

EnvironmentRecord record_environment(const fs::path& root) {
  EnvironmentRecord record;
  record.time = now_utc();
  record.cpu_model = cpu_model(root);
  record.board = board(root, record.cpu_model);
  record.kernel = without_padding(read_text(root / "proc/sys/kernel/ostype") + " " +
                                  read_text(root / "proc/sys/kernel/osrelease"));
  record.os = value_of(read_text(root / "etc/os-release"), "PRETTY_NAME", '=');
  record.kernel_build = read_text(root / "proc/sys/kernel/version");
  record.machine = read_text(root / "proc/sys/kernel/arch");
  record.cpus = cpu_states(root);
  record.temperatures = temperatures(root);
  record.throttle = {ThrottleFlags(root).read(), core_throttle_events(root)};
  record.load_average = load_average(root);
  return record;
}

std::string throttled_between(const ThrottleState& before, const ThrottleState& after) {
  constexpr std::uint32_t kNow = 0xf;
  constexpr std::uint32_t kSinceBoot = 0xf0000;
  if (after.firmware_flags.has_value()) {
    const std::uint32_t old_flags = before.firmware_flags.value_or(0);
    const std::uint32_t flags = *after.firmware_flags;
    // Ignores a since-boot flag that was already set before the run.
    const std::uint32_t fresh = (flags & kSinceBoot & ~old_flags) >> 16;
    const std::uint32_t causes = fresh | (flags & kNow) | (old_flags & kNow);
    const std::string text = throttle_causes(causes);
    if (!text.empty()) return fmt::format("{} (get_throttled 0x{:x})", text, flags);
  }
  if (before.core_events.has_value() && after.core_events.has_value() &&
      *after.core_events > *before.core_events) {
    return fmt::format("{} core throttle events", *after.core_events - *before.core_events);
  }
  return {};
}

BuildRecord build_record() {
  BuildRecord record;
  record.type = SIDECORE_BUILD_TYPE;
#if defined(__clang__)
  record.compiler = "clang " __clang_version__;
#else
  record.compiler = "gcc " __VERSION__;
#endif
#if defined(__aarch64__)
  record.neon = "NEON (AArch64)";
  record.neon_is_native = true;
#else
  record.neon = "the NEON source through SIMDe, no ARM core: its speed says nothing about one";
#endif
  return record;
}

}  // namespace sidecore::gates
