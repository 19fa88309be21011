// Figures of a compiled shader: the list of figures that are recorded, whether lower or higher is
// better for each, and modelled times.
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
  neither,  ///< neither is better: a change is reported but not judged; other figures show its cost
};

struct FigureKind {
  std::string_view name;
  Better better;
};

/// Returns the figures of the machine code, as the driver's compiler reports them; on a board they
/// are fewer than on the simulator. instructions; threads (2 or 4 per QPU); strategy (0: the
/// compiler's first attempt fitted); loops; uniforms (words in the uniform stream); max_temps
/// (registers alive at once); spills and fills (instructions); spill_bytes (per lane); sfu_stalls
/// (cycles); nops.
[[nodiscard]] std::span<const FigureKind> compiled_figures();

/// Returns the figures of the program's execution on the simulator, summed over all dispatches of
/// the workload. instructions (16 lanes each); loads, stores and atomics (requests of up to 16
/// lanes); bytes (moved by the lanes that took part); request_lines (distinct 64-byte lines,
/// counted anew in every request); unique_lines (counted anew in every dispatch);
/// divergent_branches (conditional branches at which the active lanes did not agree).
[[nodiscard]] std::span<const FigureKind> executed_figures();

/// Figures by name; a figure that is unknown is missing.
using Figures = std::map<std::string, std::uint64_t, std::less<>>;

/// Bounds of a figure that a timing model computes; the exact value is not known.
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
/// Intervals of modelled figures or assumptions, by name.
using ModelledIntervals = std::map<std::string, ModelledInterval>;

/// Modelled seconds, summed over dispatches, by the name of the bound: the time that issuing
/// instructions, the memory units, memory, or the schedule alone would take. They come from the
/// simulator's timing model (v3dsim/model.h); none was measured.
using ModelledBounds = ModelledIntervals;

void add(ModelledBounds& sums, const ModelledBounds& more);

/// Returns the greatest bound at the low and at the high end: "tmu", or "tmu .. latency" if they
/// differ; "" if there are no bounds.
[[nodiscard]] std::string leading_bounds(const ModelledBounds& bounds);

}  // namespace sidecore::shaderdb
