// The table: every kernel variant's programs on one V3D.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shaderdb/figures.h"

namespace sidecore::shaderdb {

struct ProgramRow {
  /// The shader's name; specialization constants behind it: "float_psnr[0=8]".
  std::string program;
  std::uint64_t dispatches = 0;
  Figures compiled;
  std::optional<Figures> executed;  ///< on the simulator only
  ModelledBounds modelled = {};     ///< printed; no part of files and comparisons
  bool operator==(const ProgramRow&) const = default;
};

/// One QPU variant of a kernel, a feature on a pair of whole pictures, or the loop filter of one;
/// its programs in the order of their first dispatch.
struct VariantRows {
  std::string kernel;
  std::string variant;
  std::string unit;         ///< of work, singular: "edge"
  std::uint64_t units = 0;  ///< that the workload has
  std::vector<ProgramRow> programs;
  bool operator==(const VariantRows&) const = default;
};

/// What the kernels work on, the same everywhere and always: synthetic pictures of one content.
struct WorkloadSize {
  std::string content;
  std::uint64_t width = 0;  ///< in luma samples
  std::uint64_t height = 0;
  std::uint64_t seed = 0;
  bool operator==(const WorkloadSize&) const = default;
};

struct Table {
  std::string v3d;     ///< "4.2", "7.1"
  std::string driver;  ///< name and version
  WorkloadSize workload;
  std::vector<VariantRows> variants;
  bool operator==(const Table&) const = default;
};

/// For people: what was compiled, and what it did for a unit of work; a row a program, and their
/// sum where a variant has several.
[[nodiscard]] std::string to_text(const Table& table);

}  // namespace sidecore::shaderdb
