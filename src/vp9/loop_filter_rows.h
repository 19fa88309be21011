// Order of the CPU's loop filter by rows of superblocks; each row follows the row above it.
#pragma once

#include <algorithm>

#include "vp9/row_progress.h"

namespace sidecore::vp9 {

/// Number of superblocks that are filtered between two checks of the row above.
inline constexpr int kFilteredAtOnce = 4;

/// Filters a row's superblocks from left to right, up to column `end`, each with the edges of all
/// planes. Because planes share no samples, the result equals that of the scalar definition. A
/// superblock may be filtered once the superblock above right of it is filtered, because both
/// change samples at their common corner. Several rows may be filtered at the same time if they
/// begin in order.
///
/// Calls filter(column, count) for groups of kFilteredAtOnce superblocks, or fewer at the end.
/// Returns false if the row above failed; then this row fails too. Without `wait` it returns early
/// where it would have to wait, and leaves an incomplete group to a later call.
template <class Filter>
[[nodiscard]] bool filter_superblocks(RowProgress::Row& filtered, int end, bool wait,
                                      const Filter& filter) {
  while (filtered.done() < end) {
    const int count = std::min(kFilteredAtOnce, end - filtered.done());
    if (!wait && (count < kFilteredAtOnce || !filtered.above_is_ahead(count + 1))) return true;
    if (wait && !filtered.wait_for_above(count + 1)) return false;
    filter(filtered.done(), count);
    filtered.advance(count);
  }
  return true;
}

}  // namespace sidecore::vp9
