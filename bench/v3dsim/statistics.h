// Statistics of a dispatch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "v3dsim/machine.h"

namespace sidecore::v3dsim {

class Memory;

/// Kind of a TMU request; first index of TmuStatistics::requests.
enum class TmuKind : std::uint8_t { load, store, atomic };
inline constexpr std::size_t kTmuKinds = 3;
/// Number of types: i8 i16 vec2 vec3 vec4 u8 u16 32-bit.
inline constexpr std::size_t kTmuTypes = 8;
/// Maximum number of lines per request: 16 lanes of 16 bytes, none aligned to a line.
inline constexpr std::size_t kMaxLines = 32;

struct TmuStatistics {
  std::array<std::array<std::uint64_t, kTmuTypes>, kTmuKinds> requests{};
  std::uint64_t lanes = 0;  ///< number of lanes taking part, summed over requests
  std::uint64_t bytes = 0;  ///< number of bytes that these lanes load or store
  /// Number of words per lane: a scalar request counts 1, a vec4 request 4.
  std::uint64_t words = 0;
  /// Number of requests by the number of distinct 64-byte lines they touch, 0..32.
  std::array<std::uint64_t, kMaxLines + 1> lines_per_request{};
  std::uint64_t unique_lines = 0;  ///< number of distinct 64-byte lines of the dispatch
  /// Number of line touches beyond the first in the same supergroup.
  std::uint64_t retouched_lines = 0;

  [[nodiscard]] std::uint64_t total(TmuKind kind) const;
};

/// Statistics of one dispatch: sums over all threads unless a comment says otherwise.
struct Statistics {
  Version version = Version::v71;
  std::array<std::uint32_t, 3> grid{};  ///< number of workgroups in x, y and z
  std::uint32_t workgroup_size = 0;
  std::uint32_t workgroups_per_supergroup = 0;
  std::uint64_t supergroups = 0;
  std::uint64_t threads = 0;     ///< number of 16-lane threads, the "batches" of the job
  std::uint64_t idle_lanes = 0;  ///< number of idle lanes of partial batches
  unsigned threads_per_qpu = 0;
  std::uint32_t program_address = 0;
  std::uint32_t program_size = 0;  ///< number of reachable instructions

  std::uint64_t instructions = 0;
  std::uint64_t add_used = 0;  ///< number of instructions with an operation in the add half
  std::uint64_t mul_used = 0;
  std::uint64_t both_used = 0;
  std::uint64_t nops = 0;  ///< number of instructions with neither half used
  std::uint64_t conditional = 0;
  std::uint64_t special_functions = 0;
  /// Estimated number of stalls: results of special functions that the next instruction reads.
  std::uint64_t special_function_stalls = 0;
  std::uint64_t uniforms = 0;            ///< number of words popped from the uniform stream
  std::uint64_t auxiliary_uniforms = 0;  ///< number of words read through UNIFA
  std::uint64_t branches = 0;
  std::uint64_t branches_taken = 0;
  /// Number of conditional branches with flag A mixed over the active lanes.
  std::uint64_t branches_divergent = 0;
  std::uint64_t thread_switches = 0;
  std::uint64_t barriers = 0;  ///< number of threads that arrived at a barrier
  std::uint64_t waits = 0;     ///< number of first ldtmu or tmuwt after a thread switch
  /// Number of instructions that read a register before it was written.
  std::uint64_t uninitialised_reads = 0;
  /// Number of instructions that use a flag that no source defines for their operation.
  std::uint64_t unproven_flags = 0;
  TmuStatistics tmu;
  /// Number of executions of each instruction, from the first reachable address on.
  std::vector<std::uint64_t> executed;
  std::uint32_t first_address = 0;

  /// Returns the mean over threads; 0 if there are none.
  [[nodiscard]] double per_thread(std::uint64_t total) const;
};

/// Returns one JSON object with stable names, schema "sidecore-v3dsim-statistics-1", without a
/// final newline.
[[nodiscard]] std::string to_json(const Statistics& statistics);

/// Returns one line per executed instruction: executions per thread, address, word, text. The
/// memory must still hold the code that ran. Throws Fault (out_of_bounds) if its buffer is gone.
[[nodiscard]] std::string listing(const Statistics& statistics, const Memory& memory);

}  // namespace sidecore::v3dsim
