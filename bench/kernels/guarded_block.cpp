#include "kernels/guarded_block.h"

#include <fmt/format.h>

#include <utility>

#include "base/rounding.h"

namespace sidecore::bench {

std::size_t GuardedBlock::add(std::string name, std::size_t bytes) {
  const std::size_t offset = round_up(bytes_, kAlignment);
  regions_.push_back({std::move(name), offset, bytes});
  // The size is rounded up, because buffers are bound, copied and filled in whole words.
  bytes_ = round_up(offset + bytes + kGuardBytes, 16);
  return regions_.size() - 1;
}

void GuardedBlock::fill_guards(std::span<std::byte> memory) const {
  for (std::size_t at = 0; at < memory.size(); ++at) {
    memory[at] = static_cast<std::byte>((at * 37 + 0xa5) & 0xffU);
  }
}

std::optional<std::size_t> GuardedBlock::region_of(std::size_t byte) const {
  for (std::size_t index = 0; index < regions_.size(); ++index) {
    const Region& region = regions_[index];
    if (byte >= region.offset && byte - region.offset < region.bytes) return index;
  }
  return std::nullopt;
}

std::string GuardedBlock::describe_guard(std::size_t byte) const {
  const Region* before = nullptr;
  for (const Region& region : regions_) {
    if (region.offset + region.bytes <= byte) before = &region;
  }
  if (before == nullptr) {
    return fmt::format("guard byte {} before the {}", regions_.front().offset - byte,
                       regions_.front().name);
  }
  return fmt::format("guard byte {} after the {}", byte - before->offset - before->bytes,
                     before->name);
}

}  // namespace sidecore::bench
