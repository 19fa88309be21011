#include "gates/board_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace sidecore::gates {
namespace {

namespace fs = std::filesystem;

/// Returns the paths FOLDER/PREFIX*/FILE that exist.
std::vector<fs::path> files_below(const fs::path& folder, std::string_view prefix,
                                  const char* file) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().native().starts_with(prefix)) continue;
    fs::path path = entry->path() / file;
    if (fs::exists(path, error)) found.push_back(std::move(path));
  }
  return found;
}

/// Returns the number in a file divided by 1000; nothing if the file has no readable number.
std::optional<double> thousandths_in(const fs::path& path) {
  std::ifstream file(path);
  double value = 0;
  if (!(file >> value)) return std::nullopt;
  return value / 1000;
}

void raise(std::optional<double>& highest, std::optional<double> value) {
  if (value.has_value()) highest = std::max(highest.value_or(*value), *value);
}

void lower(std::optional<double>& lowest, std::optional<double> value) {
  if (value.has_value()) lowest = std::min(lowest.value_or(*value), *value);
}

void gather(std::optional<std::uint32_t>& all, std::optional<std::uint32_t> flags) {
  if (flags.has_value()) all = all.value_or(0) | *flags;
}

}  // namespace

BoardWatch::BoardWatch(const fs::path& root)
    : clocks_(files_below(root / "sys/devices/system/cpu", "cpu", "cpufreq/scaling_cur_freq")),
      zones_(files_below(root / "sys/class/thermal", "thermal_zone", "temp")),
      throttle_flags_(root) {}

void BoardWatch::sample() {
  for (const fs::path& path : clocks_) {
    const std::optional<double> megahertz = thousandths_in(path);
    lower(state_.lowest_mhz, megahertz);
    raise(state_.highest_mhz, megahertz);
  }
  for (const fs::path& path : zones_) raise(state_.highest_celsius, thousandths_in(path));
  gather(state_.throttle_flags, throttle_flags_.read());
}

std::jthread BoardWatch::watch() {
  try {
    return std::jthread([this](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any stopped;
      std::unique_lock lock(mutex);
      do {
        sample();
        stopped.wait_for(lock, stop, kPause, [] { return false; });
      } while (!stop.stop_requested());
    });
  } catch (const std::system_error& error) {
    throw environment_error("cannot start a thread: {}", error.what());
  }
}

BoardState BoardWatch::take() {
  BoardState state;
  std::swap(state, state_);
  return state;
}

void add(BoardState& all, const std::vector<BoardState>& more) {
  for (const BoardState& state : more) {
    lower(all.lowest_mhz, state.lowest_mhz);
    raise(all.highest_mhz, state.highest_mhz);
    raise(all.highest_celsius, state.highest_celsius);
    gather(all.throttle_flags, state.throttle_flags);
  }
}

std::string to_string(const BoardState& state) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", part);
  };
  if (state.lowest_mhz.has_value()) {
    add(*state.lowest_mhz == *state.highest_mhz
            ? fmt::format("{:.0f} MHz", *state.lowest_mhz)
            : fmt::format("{:.0f} to {:.0f} MHz", *state.lowest_mhz, *state.highest_mhz));
  }
  if (state.highest_celsius.has_value()) {
    add(fmt::format("at most {:.1f} °C", *state.highest_celsius));
  }
  if (state.throttle_flags.has_value()) {
    add(fmt::format("get_throttled 0x{:x}", *state.throttle_flags));
  }
  return text;
}

std::string throttled_during(const BoardState& state) {
  const std::string text = throttle_causes(state.throttle_flags.value_or(0));
  return text.empty() ? text : text + " while windows of M4 ran";
}

}  // namespace sidecore::gates
