// A table against the one that was committed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shaderdb/table.h"

namespace sidecore::shaderdb {

enum class Verdict : std::uint8_t { worse, better, changed };

/// One line of the outcome.
struct Difference {
  Verdict verdict = Verdict::changed;
  std::string text;  ///< kernel, variant, program, figure, before and after
};

struct Comparison {
  std::vector<Difference> figures;
  /// Kernels, variants and programs that only one of the tables has, in words.
  std::vector<std::string> unmatched;
  /// What makes both sides hard to compare: another driver. Empty when nothing does.
  std::string note;

  [[nodiscard]] bool has(Verdict verdict) const;
  /// Nothing is worse, and nothing is missing on either side.
  [[nodiscard]] bool good() const { return unmatched.empty() && !has(Verdict::worse); }
};

/// Kernels of `before` that are not in `after` are passed over unless `complete`: `after` then has
/// every kernel that there is. Figures that only one side has are passed over. Throws Error (usage)
/// when the two were not taken on the same workload.
[[nodiscard]] Comparison compare(const Table& before, const Table& after, bool complete);

/// `before` with the kernels of `after` put in their place, and everything else of it dropped when
/// `complete`. Throws as compare() does, unless `complete`.
[[nodiscard]] Table update(const Table& before, const Table& after, bool complete);

}  // namespace sidecore::shaderdb
