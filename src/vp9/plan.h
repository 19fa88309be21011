// The stage plan: which processor runs which stage of decoding. Its text is what `--plan`, players'
// settings and `sidecore split` write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sidecore::vp9 {

struct DspTables;

/// The pixel stages, in the order in which a frame goes through them. Parsing and the derivation of
/// edges are always the CPU's.
enum class Stage : std::uint8_t {
  prediction,   ///< of inter blocks
  residual,     ///< inverse transforms, added to the prediction
  intra,        ///< prediction of intra blocks; where another processor than the residual's has it,
                ///< it adds their residual too
  loop_filter,  ///< of the edges
};
inline constexpr std::array kStages{Stage::prediction, Stage::residual, Stage::intra,
                                    Stage::loop_filter};
static_assert(kStages.size() == static_cast<std::size_t>(Stage::loop_filter) + 1);
/// The enumerator's name, as texts of plans and result files have it.
[[nodiscard]] const char* to_string(Stage stage);
constexpr auto values_of(Stage /*any*/) {
  return kStages;
}

/// A value for each stage.
template <class Value>
struct PerStage {
  Value prediction{};
  Value residual{};
  Value intra{};
  Value loop_filter{};

  [[nodiscard]] constexpr Value& operator[](Stage stage) {
    return const_cast<Value&>(std::as_const(*this)[stage]);
  }
  [[nodiscard]] constexpr const Value& operator[](Stage stage) const {
    switch (stage) {
      case Stage::prediction:
        return prediction;
      case Stage::residual:
        return residual;
      case Stage::intra:
        return intra;
      case Stage::loop_filter:
        break;
    }
    return loop_filter;
  }
  bool operator==(const PerStage&) const = default;

  /// The same value for all stages.
  [[nodiscard]] static constexpr PerStage all(const Value& value) {
    PerStage all;
    for (const Stage stage : kStages) all[stage] = value;
    return all;
  }
};

/// Adds up what there is of each stage.
template <class Value>
PerStage<Value>& operator+=(PerStage<Value>& sum, const PerStage<Value>& more) {
  for (const Stage stage : kStages) sum[stage] += more[stage];
  return sum;
}

/// What runs a stage. `divided`: NEON and the QPU at the same time. Of prediction and residual the
/// QPU takes the last rows of superblocks and NEON the others, by their rates. Of the loop filter
/// the QPU takes luma's large dependency levels, or with FilterOrder::waves all of luma; NEON takes
/// chroma meanwhile and the rest of luma afterwards.
enum class Processor : std::uint8_t { scalar, neon, qpu, divided };
inline constexpr std::array kProcessors{Processor::scalar, Processor::neon, Processor::qpu,
                                        Processor::divided};
/// The enumerator's name.
[[nodiscard]] const char* to_string(Processor processor);
constexpr auto values_of(Processor /*any*/) {
  return kProcessors;
}

/// In which order the QPU filters a frame's edges: by dependency levels, of which a large one is a
/// dispatch and the small ones behind it are one together; or by waves of superblocks, a dispatch
/// each.
enum class FilterOrder : std::uint8_t { levels, waves };
inline constexpr std::array kFilterOrders{FilterOrder::levels, FilterOrder::waves};
/// The enumerator's name.
[[nodiscard]] const char* to_string(FilterOrder order);

/// The processor of each stage, and how the QPU filters.
struct Plan {
  PerStage<Processor> processors = PerStage<Processor>::all(Processor::neon);
  /// Waves only where the loop filter is the QPU's only stage.
  FilterOrder filter_order = FilterOrder::levels;
  /// Edges of the smallest dependency level that is the QPU's, where the loop filter is divided by
  /// levels; 0: a default that qpu::LoopFilter has.
  std::size_t least_edges = 0;

  bool operator==(const Plan&) const = default;

  [[nodiscard]] Processor of(Stage stage) const { return processors[stage]; }
  /// Whether the QPU has the stage, or a part of it.
  [[nodiscard]] bool on_qpu(Stage stage) const {
    return of(stage) == Processor::qpu || is_divided(stage);
  }
  [[nodiscard]] bool is_divided(Stage stage) const { return of(stage) == Processor::divided; }
  /// Whether the QPU has any stage, or a part of one.
  [[nodiscard]] bool uses_qpu() const;
  /// Whether the QPU has any stage before the loop filter, or a part of one: then a frame's
  /// samples are made by qpu::PictureReconstruction.
  [[nodiscard]] bool reconstructs_on_qpu() const;

  /// Whether the plan says more than a processor for each stage.
  [[nodiscard]] bool has_filter_options() const {
    return filter_order != FilterOrder::levels || least_edges != 0;
  }

  /// Throws Error (usage), one line, for a plan that nothing can follow: intra prediction cannot be
  /// divided, since each row waits for the one above; nor the loop filter beside other stages on
  /// the QPU, whose submission it ends, and it is filtered by levels there. An order is the QPU's,
  /// and least edges are of a filter that is divided by levels.
  void check() const;
  /// Reads a processor for all stages, or STAGE=PROCESSOR, ..., with NEON for those that are not
  /// named; `divided` for all is kDividedBackEnd. Behind the loop filter's processor may stand
  /// `:waves`, or, where it is divided, `:N`, which is `least_edges`. Throws Error (usage) with one
  /// line for what is no plan, and as check().
  [[nodiscard]] static Plan parse(std::string_view text);
};

/// The plan as parse() reads it, as short as it can be: "neon", "loop_filter=qpu:waves".
[[nodiscard]] std::string to_text(const Plan& plan);

/// All pixel stages on the QPU.
inline constexpr Plan kBackEndOnQpu{PerStage<Processor>::all(Processor::qpu)};
/// All pixel stages on the QPU, but for NEON's part of those that can be divided. A CPU would read
/// what the QPU wrote slowly on a Raspberry Pi (qpu::DeviceInfo::cached_memory).
inline constexpr Plan kDividedBackEnd{
    {Processor::divided, Processor::divided, Processor::qpu, Processor::qpu}};
/// All stages NEON's but one, which is the processor's.
[[nodiscard]] Plan plan_of_one(Stage stage, Processor processor);

/// The plan of a stream whose device failed: NEON has what was the QPU's, or divided.
[[nodiscard]] Plan without_qpu(Plan plan);

/// The CPU's kernels: scalar ones for stages whose processor is scalar code, else those of `neon`.
[[nodiscard]] DspTables tables_of(const Plan& plan, const DspTables& neon);

}  // namespace sidecore::vp9
