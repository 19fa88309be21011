// Gate M1: do the NEON and QPU implementations compute the same as the scalar definition?
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "gates/options.h"
#include "gates/subject.h"

namespace sidecore::gates {

struct FirstDifference {
  std::string origin;  ///< source of the workload: "seed 17", "picture 3 of clip.y4m"
  std::string where;   ///< Workload::describe()
  std::size_t byte = 0;
  unsigned expected = 0;  ///< byte after the scalar definition has run
  unsigned found = 0;
};

/// Result of comparing an implementation's work units with the scalar definition's.
struct ComparedUnits {
  std::uint64_t workloads = 0;
  std::uint64_t units = 0;
  /// Number of units in which every byte equals the scalar definition's.
  std::uint64_t agreeing = 0;
  std::uint64_t stray_bytes = 0;  ///< differing bytes that belong to no unit: guards and gaps
  std::optional<FirstDifference> first;

  /// Returns true if units were compared and every byte of the block agrees.
  [[nodiscard]] bool holds() const { return units > 0 && agreeing == units && stray_bytes == 0; }
};

/// Comparison of one implementation with the scalar definition on one test content.
struct Agreement {
  Content content = Content::random;
  std::string implementation;  ///< "neon", or "qpu VARIANT"
  /// Result, or the reason why the implementation cannot run here.
  Outcome<ComparedUnits> compared;
};

/// A test content of the comparison, and its branch rates.
struct ContentRecord {
  Content content = Content::random;
  std::string first_origin;
  std::vector<BranchRate>
      branches;  ///< branch rates on unprocessed samples of the first workload, or of a whole clip
};

struct AgreementReport {
  std::vector<ContentRecord> contents;
  std::vector<Agreement> agreements;

  /// Returns true if at least one implementation ran and all that ran agree.
  [[nodiscard]] bool holds() const;
};

/// Compares two results of one workload byte by byte and adds the counts to `compared`.
void compare_blocks(const Workload& workload, const std::string& origin,
                    std::span<const std::byte> expected, std::span<const std::byte> found,
                    ComparedUnits& compared);

/// Compares all implementations on at least options.minimum_units units of each synthetic content,
/// and on all pictures of the clip. Every second workload runs NEON in three uneven parts, as
/// threads would divide it.
[[nodiscard]] AgreementReport run_m1(const KernelUnderTest& subject, const GateOptions& options);

}  // namespace sidecore::gates
