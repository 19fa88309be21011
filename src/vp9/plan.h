// The stage plan: the processor that runs each stage of decoding. `--plan`, players' settings and
// `sidecore split` use its text form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sidecore::vp9 {

struct DspTables;

/// The pixel stages in the order in which a frame passes through them. Parsing and edge derivation
/// always run on the CPU.
enum class Stage : std::uint8_t {
  prediction,  ///< prediction of inter blocks
  residual,    ///< inverse transforms, added to the prediction
  /// Prediction of intra blocks; includes their residual if another processor runs `residual`.
  intra,
  loop_filter,  ///< loop filter of the edges
};
inline constexpr std::array kStages{Stage::prediction, Stage::residual, Stage::intra,
                                    Stage::loop_filter};
static_assert(kStages.size() == static_cast<std::size_t>(Stage::loop_filter) + 1);
/// Returns the stage's name in plans and result files, which is the enumerator's name.
[[nodiscard]] const char* to_string(Stage stage);
constexpr auto values_of(Stage /*any*/) {
  return kStages;
}

/// One value per stage.
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

  /// Makes values that are the same for all stages.
  [[nodiscard]] static constexpr PerStage all(const Value& value) {
    PerStage all;
    for (const Stage stage : kStages) all[stage] = value;
    return all;
  }
};

/// Adds the values of each stage.
template <class Value>
PerStage<Value>& operator+=(PerStage<Value>& sum, const PerStage<Value>& more) {
  for (const Stage stage : kStages) sum[stage] += more[stage];
  return sum;
}

/// The processor that runs a stage. `divided` means NEON and the QPU at the same time. In
/// prediction and residual, the QPU takes the last rows of superblocks and NEON the others, in
/// proportion to their rates. In the loop filter, the QPU takes luma's large dependency levels, or
/// all of luma with FilterOrder::waves. NEON filters chroma meanwhile and then the rest of luma.
enum class Processor : std::uint8_t { scalar, neon, qpu, divided };
inline constexpr std::array kProcessors{Processor::scalar, Processor::neon, Processor::qpu,
                                        Processor::divided};
/// Returns the enumerator's name.
[[nodiscard]] const char* to_string(Processor processor);
constexpr auto values_of(Processor /*any*/) {
  return kProcessors;
}

/// The order in which the QPU filters a frame's edges. `levels`: by dependency levels; each large
/// level is a dispatch, and the small levels after them share one. `waves`: by superblock waves,
/// with one dispatch per wave.
enum class FilterOrder : std::uint8_t { levels, waves };
inline constexpr std::array kFilterOrders{FilterOrder::levels, FilterOrder::waves};
/// Returns the enumerator's name.
[[nodiscard]] const char* to_string(FilterOrder order);

/// A stage plan: the processor of each stage, and the order in which the QPU filters.
struct Plan {
  PerStage<Processor> processors = PerStage<Processor>::all(Processor::neon);
  /// Order in which the QPU filters. FilterOrder::waves is allowed only if the loop filter is the
  /// QPU's only stage.
  FilterOrder filter_order = FilterOrder::levels;
  /// Smallest number of edges of a dependency level that the QPU filters, if the loop filter is
  /// divided by levels. 0 selects the default of qpu::LoopFilter.
  std::size_t least_edges = 0;

  bool operator==(const Plan&) const = default;

  [[nodiscard]] Processor of(Stage stage) const { return processors[stage]; }
  /// Returns true if the QPU runs the stage or a part of it.
  [[nodiscard]] bool on_qpu(Stage stage) const {
    return of(stage) == Processor::qpu || is_divided(stage);
  }
  [[nodiscard]] bool is_divided(Stage stage) const { return of(stage) == Processor::divided; }
  /// Returns true if the QPU runs any stage or a part of one.
  [[nodiscard]] bool uses_qpu() const;
  /// Returns true if the QPU runs any stage before the loop filter, or a part of one. Then
  /// qpu::PictureReconstruction computes the frame's samples.
  [[nodiscard]] bool reconstructs_on_qpu() const;

  /// Returns true if the plan sets a filter order or `least_edges`, besides a processor for each
  /// stage.
  [[nodiscard]] bool has_filter_options() const {
    return filter_order != FilterOrder::levels || least_edges != 0;
  }

  /// Throws Error (usage) with one line if the plan cannot run:
  /// - Intra prediction cannot be divided, because each row waits for the row above.
  /// - The loop filter cannot be divided if other stages are on the QPU, because it is the
  ///   last part of their submission. Its order must be `levels` then.
  /// - The order `waves` needs the loop filter on the QPU.
  /// - `least_edges` needs a loop filter that is divided by levels.
  void check() const;
  /// Parses a plan: one processor for all stages, or a list STAGE=PROCESSOR,... in which unnamed
  /// stages run on NEON. `divided` for all stages gives kDividedBackEnd. After the loop filter's
  /// processor, `:waves` sets the filter order, and `:N` sets `least_edges` if the filter is
  /// divided. Throws Error (usage) with one line for invalid text, and as check().
  [[nodiscard]] static Plan parse(std::string_view text);
};

/// Returns the shortest text that parse() reads as this plan, for example "neon" or
/// "loop_filter=qpu:waves".
[[nodiscard]] std::string to_text(const Plan& plan);

/// The plan with all pixel stages on the QPU.
inline constexpr Plan kBackEndOnQpu{PerStage<Processor>::all(Processor::qpu)};
/// The plan with all pixel stages on the QPU, except that prediction and residual are divided with
/// NEON. Intra prediction and the loop filter stay on the QPU, because a Raspberry Pi's CPU reads
/// slowly what the QPU wrote (qpu::DeviceInfo::cached_memory).
inline constexpr Plan kDividedBackEnd{
    {Processor::divided, Processor::divided, Processor::qpu, Processor::qpu}};
/// Returns the plan that runs one stage on `processor` and all others on NEON.
[[nodiscard]] Plan make_single_stage_plan(Stage stage, Processor processor);

/// Returns the plan for a stream whose device failed: NEON runs the stages that were on the QPU or
/// divided.
[[nodiscard]] Plan without_qpu(Plan plan);

/// Returns the CPU's kernel tables for a plan: scalar kernels for the stages on Processor::scalar,
/// those of `neon` for all others.
[[nodiscard]] DspTables tables_of(const Plan& plan, const DspTables& neon);

}  // namespace sidecore::vp9
