// Which figures of a compiled shader are kept, which way is better, and what a model says of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace sidecore::shaderdb {

enum class Better : std::uint8_t {
  lower,
  higher,
  neither,  ///< told when it changes; what it costs shows in the others
};

struct FigureKind {
  std::string_view name;
  Better better;
};

/// Of the machine code, as the driver's compiler tells. A board tells fewer than the simulator.
/// instructions, threads (a QPU holds 4 or 2), strategy (0: the compiler's first attempt fitted),
/// loops, uniforms (words in the uniform stream), max_temps (registers alive at once), spills and
/// fills (instructions), spill_bytes (a lane), sfu_stalls (cycles), nops.
[[nodiscard]] std::span<const FigureKind> compiled_figures();

/// What all dispatches of the program did on the simulator, summed over the workload.
/// instructions (16 lanes each); loads, stores and atomics (requests of up to 16 lanes); bytes
/// (moved by the lanes that took part); request_lines (distinct 64-byte lines, counted anew in
/// every request); unique_lines (counted anew in every dispatch); divergent_branches (conditional
/// branches at which the active lanes did not agree).
[[nodiscard]] std::span<const FigureKind> executed_figures();

/// By name; those that were not to be had are missing.
using Figures = std::map<std::string, std::uint64_t, std::less<>>;

/// Ends of an interval: figures of a timing model, of which only bounds are known.
struct ModelledInterval {
  double low = 0;
  double high = 0;
  [[nodiscard]] double middle() const { return (low + high) / 2; }
  ModelledInterval& operator+=(const ModelledInterval& more) {
    low += more.low;
    high += more.high;
    return *this;
  }
  bool operator==(const ModelledInterval&) const = default;
};
/// By name.
using ModelledIntervals = std::map<std::string, ModelledInterval>;

/// What the simulator's timing model (v3dsim/model.h) says of dispatches; nothing in it was
/// measured. Seconds, sums over dispatches, by the name of the bound: how long the issue of
/// instructions, the memory units, memory, or waiting would take if there were nothing else.
using ModelledBounds = ModelledIntervals;

void add(ModelledBounds& sums, const ModelledBounds& more);

/// "tmu", or "tmu .. latency": the greatest at the low and at the high end; "" of none.
[[nodiscard]] std::string leading_bounds(const ModelledBounds& bounds);

}  // namespace sidecore::shaderdb
