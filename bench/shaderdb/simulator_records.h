// What the V3D simulator tells of the jobs of this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shaderdb/figures.h"
#include "v3dsim/drm/records_interface.h"

namespace sidecore::shaderdb {

struct JobRecord {
  Figures compiled;  ///< of the job's program
  Figures executed;
  ModelledBounds modelled;  ///< empty when the model is not of this V3D
  /// What the model rests on, by name: clock_hz, dispatch_overhead_seconds, ... Empty likewise.
  ModelledIntervals assumed;
};

class SimulatorRecords {
 public:
  /// Nothing unless this process runs under scripts/v3dsim. Before a device is opened: see
  /// v3dsim::TakeRecords.
  [[nodiscard]] static std::optional<SimulatorRecords> find();

  /// Of the compute jobs since the last call, in order. Throws Error (environment) when the
  /// simulator does not know a job's program or speaks another language.
  [[nodiscard]] std::vector<JobRecord> take() const;

 private:
  explicit SimulatorRecords(v3dsim::TakeRecords function) : function_(function) {}
  v3dsim::TakeRecords function_;
};

/// The records of the simulator's JSON array. Throws Error (environment).
[[nodiscard]] std::vector<JobRecord> parse_records(const char* json);

}  // namespace sidecore::shaderdb
