#include "v3dsim/line_set.h"

#include <bit>
#include <utility>

#include "v3dsim/noise.h"

namespace sidecore::v3dsim {

LineSet::Slot& LineSet::slot_of(std::uint32_t page) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = mix(page) & mask;
  while (slots_[i].lines != 0 && slots_[i].page != page) i = (i + 1) & mask;
  return slots_[i];
}

void LineSet::add(std::uint32_t page, std::uint64_t lines) {
  Slot& slot = slot_of(page);
  const std::uint64_t fresh = lines & ~slot.lines;
  if (fresh == 0) return;
  const bool was_free = slot.lines == 0;
  slot.page = page;
  slot.lines |= fresh;
  size_ += static_cast<std::uint64_t>(std::popcount(fresh));
  if (was_free && ++used_ * 2 > slots_.size()) grow();
}

bool LineSet::insert(std::uint32_t line) {
  const std::uint64_t before = size_;
  add(line >> 6, std::uint64_t{1} << (line & 63));
  return size_ != before;
}

void LineSet::merge(const LineSet& other) {
  for (const Slot& slot : other.slots_) {
    if (slot.lines != 0) add(slot.page, slot.lines);
  }
}

void LineSet::clear() {
  if (used_ != 0) slots_.assign(slots_.size(), {});
  used_ = 0;
  size_ = 0;
}

void LineSet::grow() {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
  for (const Slot& slot : old) {
    if (slot.lines != 0) slot_of(slot.page) = slot;
  }
}

}  // namespace sidecore::v3dsim
