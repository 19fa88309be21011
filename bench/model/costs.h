// What the CPU of a Raspberry Pi takes for the decoder's kernels and for what lies between them:
// cycles that the timing model of docs/armsim.md computed from the instructions that the code
// executes. A model; nothing in it was measured on a board. Whoever decodes a stream on any
// machine and counts its calls by kind can multiply.
#pragma once

#include <optional>
#include <string_view>

namespace sidecore::model {

enum class Core { cortex_a72, cortex_a76 };
inline constexpr int kCores = 2;

/// A Raspberry Pi as it is sold.
struct Board {
  std::string_view name;  ///< "pi4", "pi5"
  Core core;
  int cores;
  double clock_hz;  ///< of the cores
  /// What all cores and the QPU together can move from and to memory.
  double memory_bytes_per_second;
};

[[nodiscard]] const Board& pi4();
[[nodiscard]] const Board& pi5();

/// How far what was published lies from the model: docs/armsim.md has the table. Two of its nine
/// figures lie outside, both taken by subtracting the time of a preparation.
inline constexpr double kLowFactor = 0.75;
inline constexpr double kHighFactor = 1.35;

/// Cycles of a core. `low` to `high` is the interval in which a measurement is expected, as wide as
/// the model's errors against published figures; low <= expected <= high.
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

/// What one unit of a kernel takes, its data in the first cache; nothing where the model has no
/// such row.
///
/// Kernel, input, bits and unit are those of the table in docs/neon-instructions.md:
///   - "loop_filter h_4" (h: across a vertical boundary), "random" | "mask met" | "flat": an edge.
///   - "inverse_transform 8x8 adst_dct", "DC" | "4x4" | "8x8" | "16x16" | "all" | "all, large": a
///     block.
///   - "inter_prediction copy|horizontal|vertical|both|scaled", "16x16" | "16x16 average": a block.
///     Squares from 4x4 to 64x64; of another shape take the square of its width, times height /
///     width.
///   - "intra", "dc|v|h|d45|d135|d117|d153|d207|d63|tm|dc of above|dc of left|dc of nothing 8x8": a
///     block.
///
/// Bits are 8 or 10; 12 bits run the code of 10.
[[nodiscard]] std::optional<Cycles> kernel_cycles(Core core, std::string_view kernel,
                                                  std::string_view input, int bits,
                                                  Implementation implementation);

/// What the decoder executes besides kernels, on one thread, fitted to five streams.
struct StreamCosts {
  Cycles parsing_bit;      ///< parsing, a bit of the packets
  Cycles parsing_call;     ///< and for each call of an inter or intra prediction
  Cycles edge_derivation;  ///< of each edge
  Cycles prediction_call;  ///< around each call of an inter or intra prediction
  Cycles transform_call;   ///< around each call of an inverse transform
  Cycles filter_edge;      ///< around the filtering of each edge
  Cycles other_block;      ///< all other code, 8x8 luma samples of a decoded frame
  /// That kernels wait for memory, most of it in prediction: 8x8 luma samples of a decoded frame of
  /// 8 bits. memory_cycles() says of which frames.
  Cycles memory_block;
};

[[nodiscard]] const StreamCosts& stream_costs(Core core);

/// Bytes of the last cache that all cores share.
[[nodiscard]] double last_cache_bytes(Core core);

/// What kernels wait for memory in a decoded frame of 4:2:0: nothing where four frames fit the
/// core's last cache, else memory_block in proportion to the frame's bytes.
[[nodiscard]] Cycles memory_cycles(Core core, int width, int height, int bits);

/// Bytes that a unit of work moves from or to memory behind the caches, and what a side would do
/// with the memory for itself.
struct MemoryLoad {
  double bytes_per_unit;
  double units_per_second;
};

/// Units a second of both sides when they run at once.
struct Shared {
  double cpu;
  double qpu;
};

/// What is left of both rates where `cpu_threads` threads, each of which would do
/// `cpu.units_per_second` alone, share the board's memory with the QPU: all of them, or, where
/// together they would move more than the memory can, everybody the same fraction.
[[nodiscard]] Shared both_at_once(const Board& board, int cpu_threads, const MemoryLoad& cpu,
                                  const MemoryLoad& qpu);

/// Units a second of NEON on all cores but one beside the QPU, over those of NEON on all cores
/// without it, less 1: what gate M4 asks.
[[nodiscard]] double gain_of_qpu(const Board& board, const MemoryLoad& cpu, const MemoryLoad& qpu);

}  // namespace sidecore::model
