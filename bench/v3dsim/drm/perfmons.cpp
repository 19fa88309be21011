#include "v3dsim/drm/perfmons.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "v3dsim/drm/user_pointer.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::string_view kCategory = "v3dsim";

/// Copies a text into a fixed-size field and fills the rest with zeros.
template <std::size_t kSize>
void copy_text(std::uint8_t (&to)[kSize], std::string_view text) {
  std::fill(std::begin(to), std::end(to), std::uint8_t{0});
  std::copy_n(text.begin(), std::min(text.size(), kSize - 1), std::begin(to));
}

}  // namespace

int Perfmons::create(uapi::PerfmonCreate& request) {
  if (request.counter_count == 0 || request.counter_count > uapi::kMaxCounters) return -EINVAL;
  const std::span counters(request.counters, request.counter_count);
  if (std::ranges::any_of(counters, [](auto counter) { return counter >= kSimulatedCounters; })) {
    return -EINVAL;
  }
  std::uint32_t id = 1;
  while (monitors_.contains(id)) ++id;
  monitors_.emplace(
      id, Monitor{{counters.begin(), counters.end()}, std::vector<std::uint64_t>(counters.size())});
  request.id = id;
  return 0;
}

int Perfmons::destroy(std::uint32_t id) {
  return monitors_.erase(id) == 0 ? -EINVAL : 0;
}

int Perfmons::get_values(const uapi::PerfmonGetValues& request) const {
  if (request.pad != 0 || !known(request.id)) return -EINVAL;
  if (request.values == 0) return -EFAULT;
  std::ranges::copy(sums(request.id), user_pointer<std::uint64_t>(request.values));
  return 0;
}

void Perfmons::add(std::uint32_t id, const CounterValues& job) {
  const auto found = monitors_.find(id);
  if (found == monitors_.end()) return;
  Monitor& monitor = found->second;
  for (std::size_t i = 0; i < monitor.sums.size(); ++i) monitor.sums[i] += job[monitor.counters[i]];
}

void Perfmons::reset(std::uint32_t id) {
  const auto found = monitors_.find(id);
  if (found != monitors_.end()) std::ranges::fill(found->second.sums, 0);
}

std::span<const std::uint64_t> Perfmons::sums(std::uint32_t id) const {
  const auto found = monitors_.find(id);
  if (found == monitors_.end()) return {};
  return found->second.sums;
}

int Perfmons::describe(uapi::PerfmonGetCounter& request) {
  const bool reserved = std::ranges::any_of(request.reserved, [](auto byte) { return byte != 0; });
  if (reserved || request.counter >= kSimulatedCounters) return -EINVAL;
  const SimulatedCounter& counter = simulated_counters()[request.counter];
  copy_text(request.name, counter.name);
  copy_text(request.category, kCategory);
  copy_text(request.description, counter.description);
  return 0;
}

}  // namespace sidecore::v3dsim
