// Gate M1: is it right?
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
  std::string origin;  ///< the workload: "seed 17", "picture 3 of clip.y4m"
  std::string where;   ///< Workload::describe()
  std::size_t byte = 0;
  unsigned expected = 0;  ///< what the scalar definition wrote
  unsigned found = 0;
};

/// Units of an implementation that were compared with the scalar definition's.
struct ComparedUnits {
  std::uint64_t workloads = 0;
  std::uint64_t units = 0;
  std::uint64_t agreeing = 0;     ///< units of which every byte is the scalar's
  std::uint64_t stray_bytes = 0;  ///< differing bytes that no unit owns: guards and gaps
  std::optional<FirstDifference> first;

  /// Returns true if there are units and every byte agrees.
  [[nodiscard]] bool holds() const { return units > 0 && agreeing == units && stray_bytes == 0; }
};

/// An implementation and what its comparison on one content found.
struct Agreement {
  Content content = Content::random;
  std::string implementation;       ///< "neon", or "qpu VARIANT"
  Outcome<ComparedUnits> compared;  ///< or why it cannot run here
};

/// The content that was compared, and how its branches go.
struct ContentRecord {
  Content content = Content::random;
  std::string first_origin;
  std::vector<BranchRate> branches;  ///< pristine: of the first workload, or of all of a clip
};

struct AgreementReport {
  std::vector<ContentRecord> contents;
  std::vector<Agreement> agreements;

  /// Everything that ran agrees, and something ran.
  [[nodiscard]] bool holds() const;
};

/// Counts the units that agree in one workload's block, and adds them to `compared`.
void compare_blocks(const Workload& workload, const std::string& origin,
                    std::span<const std::byte> expected, std::span<const std::byte> found,
                    ComparedUnits& compared);

/// Runs the implementations on at least options.minimum_units units of each synthetic content and
/// on all pictures of the clip. NEON does every other workload in three uneven shares, as threads
/// would.
[[nodiscard]] AgreementReport run_m1(const Subject& subject, const GateOptions& options);

}  // namespace sidecore::gates
