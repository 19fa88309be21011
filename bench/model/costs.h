// Modelled CPU cycles of a Raspberry Pi for the decoder's kernels and for the code between them.
// The timing model of docs/armsim.md computed them from the executed instructions; none was
// measured on a board. The cost of a stream follows from its numbers of calls, counted on any
// machine.
#pragma once

#include <optional>
#include <string_view>

#include "model/frame_costs.h"

namespace sidecore::model {

enum class Core { cortex_a72, cortex_a76 };
inline constexpr int kCores = 2;

/// A Raspberry Pi in its standard configuration.
struct Board {
  std::string_view name;  ///< name of the board: "pi4" or "pi5"
  Core core;
  int cores;
  double clock_hz;  ///< clock rate of the cores
  /// Largest number of bytes per second that all cores and the QPU together can move from and to
  /// memory.
  double memory_bytes_per_second;
};

[[nodiscard]] const Board& pi4();
[[nodiscard]] const Board& pi5();

/// Bounds of published times of functions relative to the model. Of the published cycles that
/// docs/armsim.md counts, 95 % (Cortex-A72) and 97 % (Cortex-A53) lie inside.
inline constexpr double kLowFactor = 0.75;
inline constexpr double kHighFactor = 1.35;

/// Upper bound of the time that a decoder waits for memory, relative to the model. Published CPU
/// times of two decoders on a Raspberry Pi 5 are reached if its waits are three times as long;
/// docs/armsim.md has the table. The lower bound is kLowFactor.
inline constexpr double kMemoryHighFactor = 3;

/// Cycles of a core. A measurement is expected between `low` and `high`; this interval is as wide
/// as the model's errors on published figures. low <= expected <= high.
struct Cycles {
  double low = 0;
  double expected = 0;
  double high = 0;

  [[nodiscard]] Cycles operator*(double times) const {
    return {low * times, expected * times, high * times};
  }
  [[nodiscard]] Cycles operator+(const Cycles& other) const {
    return {low + other.low, expected + other.expected, high + other.high};
  }
};

enum class Implementation { scalar, neon };

/// Returns the cycles of one work unit of a kernel with its data in the first cache; none if the
/// model has no such row.
///
/// Kernel, input, bits and unit are those of the table in docs/neon-instructions.md:
///   - "loop_filter h_4" (h: across a vertical boundary), "random" | "mask met" | "flat": an edge.
///   - "inverse_transform 8x8 adst_dct", "DC" | "4x4" | "8x8" | "16x16" | "all" | "all, large": a
///     block.
///   - "inter_prediction copy|horizontal|vertical|both|scaled", "16x16" | "16x16 average": a block.
///     Squares from 4x4 to 64x64. For another shape, multiply the square of its width by height /
///     width.
///   - "intra", "dc|v|h|d45|d135|d117|d153|d207|d63|tm|dc of above|dc of left|dc of nothing 8x8": a
///     block.
///
/// `bits` is 8, 10 or 12; the code for 12 is that for 10.
[[nodiscard]] std::optional<Cycles> kernel_cycles(Core core, std::string_view kernel,
                                                  std::string_view input, int bits,
                                                  Implementation implementation);

/// Cycles of the decoder's code outside kernels, on one thread, fitted to five streams.
struct StreamCosts {
  Cycles parsing_bit;      ///< cycles of parsing, per bit of the packets
  Cycles parsing_call;     ///< cycles of parsing, per call of an inter or intra prediction
  Cycles edge_derivation;  ///< cycles of edge derivation, per edge
  Cycles prediction_call;  ///< cycles of the code around an inter or intra prediction, per call
  Cycles transform_call;   ///< cycles of the code around an inverse transform, per call
  Cycles filter_edge;      ///< cycles of the code around the loop filter, per edge
  Cycles other_block;      ///< cycles of all other code, per 8x8 luma samples of a frame
  /// Cycles that kernels wait for memory, mostly in prediction, per 8x8 luma samples of a frame
  /// with 8 bits. memory_cycles() says to which frames it applies.
  Cycles memory_block;
};

[[nodiscard]] const StreamCosts& stream_costs(Core core);

/// Returns the size of the last cache that all cores share, in bytes.
[[nodiscard]] double last_cache_bytes(Core core);

/// Returns the cycles that kernels wait for memory in a 4:2:0 frame: 0 if four frames fit into the
/// last cache, else StreamCosts::memory_block in proportion to the frame's bytes.
[[nodiscard]] Cycles memory_cycles(Core core, int width, int height, int bits);

/// Rates of one core at memory that no cache holds, in bytes per second. All of a GPU's memory on
/// either board is such memory: its driver maps it write-combined.
struct UncachedRates {
  Estimate read;  ///< rate of loads of vp9::kLoadBytes bytes
  /// Rate of writes. At the highest rate they take no time, so `write.high` is not used.
  Estimate write;
};
/// Returns the rates, which published figures bound:
///   - Pi 4, read: copying between buffers that no cache holds took 0.57 GB/s where the buffers are
///     write-combined, 0.26 where writes are not combined either (github.com/Idein/librpimemmgr,
///     pull 16, memcpy() of 16 MiB on one core). Expected: their geometric mean, because kernels
///     read short rows at scattered places instead of one run.
///   - Pi 5, read: no figure is published. Low end: that of a Pi 4, whose cores and memory have
///     lower clocks. High end: 1.61 GB/s, its published copy in ordinary memory. Expected: that of
///     a Pi 4 times 4/3, the ratio of the cores' clocks and also of the memory's, because such
///     loads wait for the memory one after another.
///   - Write, expected: the published copy in ordinary memory, 1.90 and 1.61 GB/s. On a Pi 3 the
///     CPU wrote the GPU's memory faster than ordinary memory (github.com/Idein/qmkl, pull 35). Low
///     end: that of the copy that wrote without combining.
/// That a load costs the same however few bytes it has follows from the same figures of a Pi 3: at
/// 190 MB/s memcpy() read the GPU's memory 5.7 times as fast as loads of 4 bytes.
[[nodiscard]] const UncachedRates& uncached_rates(Core core);

/// Memory load of one processor (CPU thread or QPU): bytes that a work unit moves between memory
/// and the caches, and the processor's rate if it alone uses the memory.
struct MemoryLoad {
  double bytes_per_unit;
  double units_per_second;
};

/// Work units per second of CPU and QPU when both run at once.
struct SharedRates {
  double cpu;
  double qpu;
};

/// Returns the rates of `cpu_threads` threads and the QPU that share the board's memory.
/// `cpu.units_per_second` is the rate of one thread alone. If together they would move more bytes
/// than the memory can, all rates fall by the same factor; otherwise they stay.
[[nodiscard]] SharedRates estimate_shared_rates(const Board& board, int cpu_threads,
                                                const MemoryLoad& cpu, const MemoryLoad& qpu);

/// Returns the gain that gate M4 measures: units per second of NEON on all cores but one plus the
/// QPU, divided by those of NEON on all cores, minus 1.
[[nodiscard]] double gain_of_qpu(const Board& board, const MemoryLoad& cpu, const MemoryLoad& qpu);

}  // namespace sidecore::model
