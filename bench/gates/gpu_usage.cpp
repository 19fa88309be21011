#include "gates/gpu_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/text_file.h"

namespace sidecore::gates {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kV3d = "v3d";

/// Returns the number at the start of the text; ignores a unit after it.
std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

/// Calls visit(line) for each line of the text.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the open DRM files of this process, each once.
std::vector<DrmClient> clients_below(const fs::path& folder) {
  std::vector<DrmClient> clients;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::optional<DrmClient> client = parse_fdinfo(content_of(entry->path()));
    if (client.has_value() && seen.emplace(client->driver, client->device, client->id).second) {
      clients.push_back(std::move(*client));
    }
  }
  return clients;
}

/// Returns the text of the first device's gpu_stats, which covers all processes.
std::string gpu_stats_below(const fs::path& root) {
  std::error_code error;
  for (fs::directory_iterator entry(root / "sys/bus/platform/devices", error), end;
       !error && entry != end; entry.increment(error)) {
    std::string text = content_of(entry->path() / "gpu_stats");
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace

std::optional<DrmClient> parse_fdinfo(std::string_view text) {
  constexpr std::string_view kEngine = "drm-engine-";
  constexpr std::string_view kCapacity = "drm-engine-capacity-";
  DrmClient client;
  for_each_line(text, [&](std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (key == "drm-driver") client.driver = value;
    if (key == "drm-pdev") client.device = value;
    if (key == "drm-client-id") client.id = value;
    if (!key.starts_with(kEngine)) return;
    const std::optional<std::uint64_t> number = number_in(value);
    if (!number.has_value()) return;
    if (key.starts_with(kCapacity)) {
      client.capacity[std::string(key.substr(kCapacity.size()))] = *number;
    } else if (value.ends_with("ns")) {
      client.busy_ns[std::string(key.substr(kEngine.size()))] = *number;
    }
  });
  if (client.driver.empty() || client.busy_ns.empty()) return std::nullopt;
  return client;
}

std::map<std::string, std::uint64_t> parse_gpu_stats(std::string_view text) {
  std::map<std::string, std::uint64_t> busy;
  bool headed = false;
  for_each_line(text, [&](std::string_view line) {
    std::istringstream words{std::string(line)};
    std::string queue, timestamp, jobs, runtime;
    if (!(words >> queue >> timestamp >> jobs >> runtime)) return;
    if (queue == "queue") {
      headed = runtime == "runtime";
      return;
    }
    const std::optional<std::uint64_t> number = number_in(runtime);
    if (!headed || !number.has_value()) return;
    // Some kernel versions put the driver's name before the queue's.
    busy[queue.starts_with("v3d_") ? queue.substr(4) : queue] = *number;
  });
  return busy;
}

GpuUsage::GpuUsage(fs::path root) : root_(std::move(root)) {
  if (!of_this_process().empty()) {
    own_ = true;
    source_.value = "drm-engine times of this process (/proc/self/fdinfo)";
  } else if (!of_all_processes().empty()) {
    source_.value = "gpu_stats of the v3d driver (sysfs), all processes";
  } else {
    source_.reason =
        "the Linux kernel reports neither this process's GPU times (/proc/self/fdinfo: "
        "drm-engine-*) nor V3D's (gpu_stats in sysfs)";
  }
}

GpuUsage::Times GpuUsage::of_this_process() const {
  Times times;
  for (const DrmClient& client : clients_below(root_ / "proc/self/fdinfo")) {
    for (const auto& [engine, busy] : client.busy_ns) {
      const auto found = client.capacity.find(engine);
      const std::uint64_t engines = found == client.capacity.end() ? 1 : found->second;
      times[{client.driver, engine}] +=
          static_cast<double>(busy) / static_cast<double>(std::max<std::uint64_t>(engines, 1));
    }
  }
  return times;
}

GpuUsage::Times GpuUsage::of_all_processes() const {
  Times times;
  for (const auto& [queue, busy] : parse_gpu_stats(gpu_stats_below(root_))) {
    times[{std::string(kV3d), queue}] = static_cast<double>(busy);
  }
  return times;
}

GpuUsage::Times GpuUsage::now() const {
  if (!source_) return {};
  return own_ ? of_this_process() : of_all_processes();
}

void GpuUsage::start() {
  start_ = now();
}

std::vector<EngineShare> GpuUsage::stop(Nanoseconds elapsed) {
  std::vector<EngineShare> shares;
  if (elapsed.count() <= 0) return shares;
  for (const auto& [name, busy] : now()) {
    const auto before = start_.find(name);
    if (before == start_.end()) continue;
    const double share = (busy - before->second) / static_cast<double>(elapsed.count());
    // The two clocks are not read at the same instant, so the share may lie slightly outside 0..1.
    shares.push_back({name.first, name.second, std::clamp(share, 0.0, 1.0)});
  }
  return shares;
}

std::string to_string(const std::vector<std::vector<EngineShare>>& rounds) {
  std::map<std::pair<std::string, std::string>, double> sums;
  for (const std::vector<EngineShare>& round : rounds) {
    for (const EngineShare& engine : round) sums[{engine.driver, engine.engine}] += engine.share;
  }
  std::string text;
  for (const auto& [name, sum] : sums) {
    if (sum <= 0) continue;
    text += fmt::format("{}{} {} {:.1f} %", text.empty() ? "" : ", ", name.first, name.second,
                        100 * sum / static_cast<double>(rounds.size()));
  }
  return text;
}

}  // namespace sidecore::gates
