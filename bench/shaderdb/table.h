// The table of shaderdb: the programs of every kernel variant on one V3D.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shaderdb/figures.h"

namespace sidecore::shaderdb {

struct ProgramRow {
  /// Name of the shader and its specialization constants: "float_psnr[0=8]".
  std::string program;
  std::uint64_t dispatches = 0;
  Figures compiled;
  /// Figures of execution, which the simulator counts; none on a board.
  std::optional<Figures> executed;
  /// Modelled times, which are printed but not part of files and comparisons.
  ModelledBounds modelled = {};
  bool operator==(const ProgramRow&) const = default;
};

/// Programs of one QPU variant of a kernel, of a feature on a pair of whole pictures, or of a
/// published design, in the order of their first dispatch.
struct VariantRows {
  std::string kernel;
  std::string variant;
  std::string unit;         ///< name of a work unit, singular: "edge"
  std::uint64_t units = 0;  ///< number of work units in the workload
  std::vector<ProgramRow> programs;
  bool operator==(const VariantRows&) const = default;
};

/// Workload of the kernels, equal for all runs: synthetic pictures with one content.
struct WorkloadSize {
  std::string content;
  std::uint64_t width = 0;  ///< width of the pictures in luma samples
  std::uint64_t height = 0;
  std::uint64_t seed = 0;
  bool operator==(const WorkloadSize&) const = default;
};

struct Table {
  std::string v3d;     ///< version of the V3D: "4.2" or "7.1"
  std::string driver;  ///< name and version of the driver
  WorkloadSize workload;
  std::vector<VariantRows> variants;
  bool operator==(const Table&) const = default;
};

/// Returns text tables: figures of compilation, and figures of execution per work unit. Each
/// program has a row; a variant with several programs has a row for their sum too.
[[nodiscard]] std::string to_text(const Table& table);

}  // namespace sidecore::shaderdb
