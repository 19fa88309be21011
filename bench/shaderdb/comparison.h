// Compares a new table with the committed table, the baseline.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shaderdb/table.h"

namespace sidecore::shaderdb {

enum class Verdict : std::uint8_t { worse, better, changed };

/// A figure that differs from the baseline.
struct Difference {
  Verdict verdict = Verdict::changed;
  std::string text;  ///< text: kernel, variant, program, figure, value before and value after
};

struct Comparison {
  std::vector<Difference> figures;
  /// Kernels, variants and programs that only one of the tables has, in words.
  std::vector<std::string> unmatched;
  /// Warning that the two tables are from different drivers; empty if they are from the same.
  std::string note;

  [[nodiscard]] bool has(Verdict verdict) const;
  /// Returns true if no figure is worse and nothing is missing in either table.
  [[nodiscard]] bool good() const { return unmatched.empty() && !has(Verdict::worse); }
};

/// Compares two tables. `complete` says that `after` has all kernels that exist; otherwise kernels
/// that only `before` has are ignored. Figures that only one table has are ignored. Throws Error
/// (usage) if the tables are from different workloads.
[[nodiscard]] Comparison compare(const Table& before, const Table& after, bool complete);

/// Returns `after`, plus the kernels that only `before` has unless `complete`. Throws as compare()
/// does, unless `complete`.
[[nodiscard]] Table update(const Table& before, const Table& after, bool complete);

}  // namespace sidecore::shaderdb
