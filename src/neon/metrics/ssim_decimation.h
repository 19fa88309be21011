// NEON implementations of metrics/decimation.h.
#pragma once

#include <array>
#include <vector>

#include "base/thread_team.h"
#include "metrics/decimation.h"
#include "metrics/float_plane.h"

namespace sidecore::neon {

/// Computes the same planes as metrics::decimate_box() and metrics::halve(), bit for bit. Several
/// threads may compute bands of rows. Owns its workspaces.
class SsimDecimation {
 public:
  /// Prepares for planes of up to `max_width` samples per row, and ThreadTeams of up to `threads`
  /// threads.
  SsimDecimation(int max_width, std::size_t threads);

  void box(metrics::ConstFloatView from, int factor, metrics::FloatView to, ThreadTeam& rows);
  void halve(metrics::ConstFloatView from, metrics::FloatView to, ThreadTeam& rows);

 private:
  /// Samples of a row: those with even index, and those with odd index.
  struct SplitRow {
    std::vector<float> even, odd;
    bool exact = false;  // sums of its products may be added in any order
  };
  /// Sums of a row of results over the nine rows, one for each different column of weights.
  using ColumnSums = std::array<std::vector<double>, metrics::kHalvingTaps / 2 + 1>;
  /// Workspace of a thread.
  struct Workspace {
    std::vector<double> sums;     // sums of a row of results
    std::vector<float> products;  // products of a row of samples
    // Rows of samples that a row of results reads.
    std::array<SplitRow, metrics::kHalvingTaps> ring;
    ColumnSums columns;
  };
  static void halve_in_order(const std::array<const SplitRow*, metrics::kHalvingTaps>& window,
                             int width, float* to);
  static void halve_by_columns(const std::array<const SplitRow*, metrics::kHalvingTaps>& window,
                               ColumnSums& columns, int width, float* to);

  std::vector<Workspace> workspaces_;
};

}  // namespace sidecore::neon
