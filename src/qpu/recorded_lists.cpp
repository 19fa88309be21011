#include "qpu/recorded_lists.h"

#include <algorithm>

namespace sidecore::qpu {

CommandList& RecordedLists::get(std::size_t dispatches,
                                const std::function<std::unique_ptr<CommandList>()>& record) {
  const auto found = std::ranges::find(entries_, dispatches, &Entry::dispatches);
  if (found != entries_.end()) {
    std::rotate(found, found + 1, entries_.end());
    return *entries_.back().list;
  }
  make_room(dispatches);
  entries_.push_back({dispatches, record()});
  kept_dispatches_ += dispatches;
  return *entries_.back().list;
}

void RecordedLists::make_room(std::size_t dispatches) {
  auto oldest = entries_.begin();
  while (oldest != entries_.end() && kept_dispatches_ + dispatches > most_dispatches_) {
    kept_dispatches_ -= oldest->dispatches;
    ++oldest;
  }
  entries_.erase(entries_.begin(), oldest);
}

}  // namespace sidecore::qpu
