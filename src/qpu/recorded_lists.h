// Cache of command lists that differ in their number of dispatches, so that each is recorded once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "qpu/command_list.h"

namespace sidecore::qpu {

/// Keeps the most recently used lists. Their dispatches together stay within a limit, because a
/// driver keeps kilobytes for each dispatch.
class RecordedLists {
 public:
  explicit RecordedLists(std::size_t most_dispatches) : most_dispatches_(most_dispatches) {}

  /// Returns the list with `dispatches` dispatches; calls record() unless the list is kept. A list
  /// above the limit is kept alone. The reference is valid until the next call.
  CommandList& get(std::size_t dispatches,
                   const std::function<std::unique_ptr<CommandList>()>& record);

 private:
  struct Entry {
    std::size_t dispatches;
    std::unique_ptr<CommandList> list;
  };

  void make_room(std::size_t dispatches);

  std::size_t most_dispatches_;
  std::size_t kept_dispatches_ = 0;
  std::vector<Entry> entries_;  // kept lists; the most recently used one is last
};

}  // namespace sidecore::qpu
