// Command lists that differ in their number of dispatches, recorded once and submitted again.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "qpu/command_list.h"

namespace sidecore::qpu {

/// Keeps the lists that were asked for last, as long as they have no more dispatches together than
/// a limit: a driver keeps kilobytes for each.
class RecordedLists {
 public:
  explicit RecordedLists(std::size_t most_dispatches) : most_dispatches_(most_dispatches) {}

  /// The list of so many dispatches, which record() makes unless it is kept. One beyond the limit
  /// is kept alone. Valid until the next call.
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
  std::vector<Entry> entries_;  // the one that was asked for last is the last
};

}  // namespace sidecore::qpu
