// A compute job: the seven configuration words of a CSD submission, and the shape they describe.
#pragma once

#include <array>
#include <cstdint>

#include "v3dsim/machine.h"

namespace sidecore::v3dsim {

struct Job {
  std::array<std::uint32_t, 7> config{};
  /// The driver sized the shared memory of an indirect job for one workgroup: its supergroups run
  /// strictly one after another, all in slot 0.
  bool indirect = false;
};

/// The job as fields. Workgroups are numbered x fastest, then y, then z; supergroup k holds
/// workgroups k*S .. min((k+1)*S, N)-1 back to back as one line of invocations; batch b of it is
/// the 16-lane thread of invocations 16b .. 16b+15.
struct JobShape {
  std::array<std::uint32_t, 3> groups{};
  std::uint32_t workgroup_size = 0;             ///< W, 1..256
  std::uint32_t workgroups_per_supergroup = 0;  ///< S, 1..16
  std::uint64_t workgroups = 0;                 ///< N
  std::uint64_t supergroups = 0;
  std::uint64_t batches = 0;
  std::uint32_t code_address = 0;
  std::uint32_t uniform_address = 0;
  bool four_threads = false;    ///< threads per QPU, else two
  bool single_segment = false;  ///< threads are born in the last section

  [[nodiscard]] std::uint32_t workgroups_in(std::uint64_t supergroup) const;
  [[nodiscard]] std::uint32_t invocations_in(std::uint64_t supergroup) const;
  [[nodiscard]] std::uint32_t batches_in(std::uint64_t supergroup) const;
  [[nodiscard]] std::uint32_t full_batches() const;  ///< of a full supergroup
  [[nodiscard]] std::array<std::uint32_t, 3> group_id(std::uint64_t workgroup) const;
  /// Bits of payload 1 that hold the local invocation index.
  [[nodiscard]] unsigned local_bits() const;
  /// How many values the shared-memory slot of payload 1 has.
  [[nodiscard]] std::uint32_t slot_limit() const { return 1U << (16 - local_bits()); }
};

/// Address of the first instruction.
[[nodiscard]] std::uint32_t code_address(const Job& job);

/// Slots for threads that a QPU has while it runs the job: 4 or 2.
[[nodiscard]] unsigned threads_per_qpu(const Job& job);
/// S of JobShape.
[[nodiscard]] std::uint32_t workgroups_per_supergroup(const Job& job);

/// Throws Fault (bad_job) when the words contradict each other: no workgroups, batch counts that do
/// not follow from the grid, code that is not aligned.
[[nodiscard]] JobShape read_job(const Job& job, const Machine& machine);

/// The words of a job, for programs that build their own.
[[nodiscard]] Job make_job(const JobShape& shape, const Machine& machine);

}  // namespace sidecore::v3dsim
