// A compute job: the seven configuration words of a CSD submission, and the fields that they
// encode.
#pragma once

#include <array>
#include <cstdint>

#include "v3dsim/machine.h"

namespace sidecore::v3dsim {

struct Job {
  std::array<std::uint32_t, 7> config{};
  /// True for an indirect job. The driver sized its shared memory for one workgroup, so its
  /// supergroups run strictly one after another, all in slot 0.
  bool indirect = false;
};

/// Fields of a job. Workgroups are numbered x fastest, then y, then z. Supergroup k consists of
/// workgroups k*S .. min((k+1)*S, N)-1, whose invocations form one sequence. Batch b of a
/// supergroup is the 16-lane thread of its invocations 16b .. 16b+15.
struct JobShape {
  std::array<std::uint32_t, 3> groups{};
  std::uint32_t workgroup_size = 0;             ///< W, the invocations per workgroup, 1..256
  std::uint32_t workgroups_per_supergroup = 0;  ///< S, the workgroups per supergroup, 1..16
  std::uint64_t workgroups = 0;                 ///< N, the number of workgroups
  std::uint64_t supergroups = 0;
  std::uint64_t batches = 0;
  std::uint32_t code_address = 0;
  std::uint32_t uniform_address = 0;
  bool four_threads = false;    ///< true for four threads per QPU, false for two
  bool single_segment = false;  ///< true if threads start in the last section

  [[nodiscard]] std::uint32_t workgroups_in(std::uint64_t supergroup) const;
  [[nodiscard]] std::uint32_t invocations_in(std::uint64_t supergroup) const;
  [[nodiscard]] std::uint32_t batches_in(std::uint64_t supergroup) const;
  /// Returns the number of batches in a full supergroup.
  [[nodiscard]] std::uint32_t full_batches() const;
  [[nodiscard]] std::array<std::uint32_t, 3> group_id(std::uint64_t workgroup) const;
  /// Returns the number of bits of payload 1 that hold the local invocation index.
  [[nodiscard]] unsigned local_bits() const;
  /// Returns the number of different shared-memory slots that payload 1 can hold.
  [[nodiscard]] std::uint32_t slot_limit() const { return 1U << (16 - local_bits()); }
};

/// Returns the address of the first instruction.
[[nodiscard]] std::uint32_t code_address(const Job& job);

/// Returns the number of thread slots per QPU while it runs the job: 4 or 2.
[[nodiscard]] unsigned threads_per_qpu(const Job& job);
/// Returns the number of workgroups per supergroup, 1..16.
[[nodiscard]] std::uint32_t workgroups_per_supergroup(const Job& job);

/// Decodes a job. Throws Fault (bad_job) if the words contradict each other: no workgroups, batch
/// counts that do not match the grid, unaligned code.
[[nodiscard]] JobShape read_job(const Job& job, const Machine& machine);

/// Encodes a job, for programs that build their own.
[[nodiscard]] Job make_job(const JobShape& shape, const Machine& machine);

}  // namespace sidecore::v3dsim
