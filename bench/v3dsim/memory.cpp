#include "v3dsim/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace sidecore::v3dsim {

void MappedMemory::add(std::uint32_t begin, std::uint32_t size) {
  const std::uint64_t end = std::uint64_t{begin} + size;
  if (size == 0 || end > (std::uint64_t{1} << 32)) {
    throw std::invalid_argument(
        fmt::format("{} bytes at {:#x} are not a range of a 32-bit address space", size, begin));
  }
  const auto next = live_.lower_bound(begin);
  const bool meets_next = next != live_.end() && next->first < end;
  const bool meets_previous =
      next != live_.begin() &&
      std::uint64_t{std::prev(next)->first} + std::prev(next)->second > begin;
  if (meets_next || meets_previous) {
    throw std::invalid_argument(fmt::format("{} bytes at {:#x} overlap a live range", size, begin));
  }
  live_.emplace(begin, size);
}

void MappedMemory::remove(std::uint32_t begin) {
  if (live_.erase(begin) == 0) {
    throw std::invalid_argument(fmt::format("no live range begins at {:#x}", begin));
  }
}

Window MappedMemory::window(std::uint32_t address) const {
  auto after = live_.upper_bound(address);
  if (after == live_.begin()) return {};
  const auto [begin, size] = *--after;
  if (address - begin >= size) return {};
  return {begin, size, base_ + begin};
}

RestrictedMemory::RestrictedMemory(const Memory& whole, std::span<const Range> ranges)
    : whole_(whole), ranges_(ranges.begin(), ranges.end()) {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

Window RestrictedMemory::window(std::uint32_t address) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](std::uint32_t value, const Range& range) { return value < range.begin; });
  if (after == ranges_.begin()) return {};
  const Range& range = *std::prev(after);
  if (address - range.begin >= range.size) return {};
  const Window outer = whole_.window(address);
  if (outer.bytes == nullptr) return {};
  const std::uint32_t begin = std::max(outer.begin, range.begin);
  const std::uint64_t end =
      std::min(std::uint64_t{outer.begin} + outer.size, std::uint64_t{range.begin} + range.size);
  return {begin, static_cast<std::uint32_t>(end - begin), outer.at(begin)};
}

std::byte* WindowCache::refill(std::uint32_t address, std::uint32_t count) {
  const Window window = memory_->window(address);
  if (window.bytes == nullptr || !window.contains(address, count)) return nullptr;
  windows_[next_] = window;
  next_ = (next_ + 1) % static_cast<unsigned>(windows_.size());
  return window.at(address);
}

}  // namespace sidecore::v3dsim
