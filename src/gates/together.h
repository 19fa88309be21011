// A window's work on threads of its own, while the board is watched.
#pragma once

#include <functional>
#include <vector>

#include "gates/board_watch.h"

namespace sidecore::gates {

/// Runs each part on a thread; they start together. Rethrows the first part's exception that there
/// is, when all have ended; throws Error (environment) when the threads cannot be started. `watch`,
/// unless null, samples until all have ended.
void run_together(const std::vector<std::function<void()>>& parts, BoardWatch* watch);

}  // namespace sidecore::gates
