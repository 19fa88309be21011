#include "v3dsim/line_cache.h"

#include <algorithm>

namespace sidecore::v3dsim {

LineCache::Moved LineCache::touch(std::uint32_t line, bool store) {
  Set& set = sets_[line % sets_.size()];
  const std::uint32_t name = line + 1;
  const auto found = std::ranges::find(set.lines, name);
  const auto at = static_cast<unsigned>(found - set.lines.begin());
  Moved moved;
  std::uint32_t dirty = 0;
  if (at == kWays) {
    moved.fetched = 1;
    moved.written = set.dirty >> (kWays - 1) & 1;
  } else {
    dirty = set.dirty >> at & 1;
  }
  // Newer lines move one place towards the end of the set.
  const unsigned last = std::min(at, kWays - 1);
  std::copy_backward(set.lines.begin(), set.lines.begin() + last, set.lines.begin() + last + 1);
  const std::uint32_t before = (std::uint32_t{1} << last) - 1;
  const std::uint32_t after = ~((std::uint32_t{2} << last) - 1);
  set.dirty = (set.dirty & after) | (set.dirty & before) << 1 | dirty | (store ? 1 : 0);
  set.lines.front() = name;
  return moved;
}

}  // namespace sidecore::v3dsim
