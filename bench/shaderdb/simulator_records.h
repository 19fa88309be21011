// The V3D simulator's records of this process's compute jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shaderdb/figures.h"
#include "v3dsim/drm/records_interface.h"

namespace sidecore::shaderdb {

struct JobRecord {
  Figures compiled;  ///< figures of the job's compiled program
  Figures executed;
  ModelledBounds modelled;  ///< modelled times; empty if there is no timing model of this V3D
  /// Greatest bound with two supergroups at a time instead of one.
  ModelledInterval two_supergroups;
  /// Assumptions of the timing model, by name: clock_hz, dispatch_overhead_seconds and others.
  /// Empty if `modelled` is empty.
  ModelledIntervals assumed;
};

class SimulatorRecords {
 public:
  /// Returns the records of the simulator; none unless this process runs under scripts/v3dsim. Must
  /// be called before a device is opened: see v3dsim::TakeRecords.
  [[nodiscard]] static std::optional<SimulatorRecords> find();

  /// Returns the records of the compute jobs since the last call, in order. Throws Error
  /// (environment) if the simulator does not know a job's program or its records cannot be read.
  [[nodiscard]] std::vector<JobRecord> take() const;

 private:
  explicit SimulatorRecords(v3dsim::TakeRecords function) : function_(function) {}
  v3dsim::TakeRecords function_;
};

/// Reads records from the simulator's JSON array. Throws Error (environment) if they cannot be
/// read.
[[nodiscard]] std::vector<JobRecord> parse_records(const char* json);

}  // namespace sidecore::shaderdb
