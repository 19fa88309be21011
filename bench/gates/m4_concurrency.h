// Gate M4: does it pay?
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/statistics.h"
#include "gates/m4_player.h"
#include "gates/options.h"
#include "gates/subject.h"

namespace sidecore::gates {

/// Who does what in a window. Passes are whole pictures of the kernel's units.
enum class WindowWork : std::uint8_t {
  same,        ///< everybody runs the kernel
  mixed_neon,  ///< each NEON thread runs the kernel and then the other one: whole picture jobs
  mixed_qpu,   ///< the QPU runs the kernel, NEON the other one
};

/// The enumerator's name.
[[nodiscard]] const char* to_string(WindowWork work);

struct WindowPlan {
  WindowWork work = WindowWork::same;
  int neon_threads = 0;
  bool qpu = false;

  /// "NEON x3 + QPU".
  [[nodiscard]] std::string label() const;
};

/// One configuration, a sample a round.
struct WindowResult {
  WindowPlan plan;
  SampleSet neon_passes;  ///< pictures a second by all NEON threads
  SampleSet qpu_passes;   ///< pictures a second by the QPU
  /// What counts: units a second of both sides for WindowWork::same, complete picture jobs a second
  /// else (with mixed_qpu, the slower side's pictures).
  SampleSet rate;
  std::vector<BoardState> states;  ///< of the board, one a round where somebody watched
  /// By round, where the kernel tells it: how long the GPU's queues were busy. Reading that before
  /// and after a window costs it nothing. Performance counters would: they are queries within the
  /// command lists, on a device that holds the profiling lock, and V3D's kernel changes its monitor
  /// between two lists in flight. What the work does to them M2 tells.
  std::vector<std::vector<EngineShare>> gpu_busy;
  std::vector<BranchRate>
      branches_at_end;  ///< of the kernel under test; work in place wears content
};

struct ContentWindows {
  Content content = Content::random;
  std::string origin;
  std::size_t units = 0;
  std::string variant;
  Outcome<std::string> beside;       ///< the other kernel, or why no work is mixed
  std::vector<BranchRate> branches;  ///< pristine: what every window starts from
  std::vector<WindowResult> windows;
  /// (NEON and QPU) / NEON on all threads; none where a CPU plays the GPU.
  std::optional<PayOff> same;
  std::optional<PayOff> mixed;
  /// The whole decoder on a clip that it plays, or why there is none. Neither if the kernel is no
  /// stage of a decoder.
  Outcome<PlayerWindows> player;
  std::optional<PayOff> player_pay_off;  ///< of the faster of the player's ways with the QPU
};

struct ConcurrencyReport {
  std::vector<ContentWindows> contents;
  Outcome<std::string> gpu_busy_source;  ///< GpuUsage::source()

  /// No player showed other pictures than the scalar decoder.
  [[nodiscard]] bool agrees() const;
};

/// The fastest of the windows in which NEON and the QPU both work, against the one of all `threads`
/// NEON threads without the QPU; with `mixed` those of picture jobs, else those of
/// WindowWork::same. Nothing when either is missing, or the latter did nothing.
[[nodiscard]] std::optional<PayOff> pay_off(const std::vector<WindowResult>& windows, bool mixed,
                                            int threads);

/// `mixed` against `baseline`, windows of the same unit. Nothing when the baseline did nothing.
[[nodiscard]] std::optional<PayOff> pay_off_of(const SampleSet& mixed, const SampleSet& baseline,
                                               const std::string& winner);

/// The faster of a player's two ways with the QPU, against NEON. Nothing when NEON did nothing.
[[nodiscard]] std::optional<PayOff> pay_off_of(const PlayerWindows& player);

/// The configurations for `threads` NEON threads, in the order of a round.
[[nodiscard]] std::vector<WindowPlan> window_plans(int threads, bool mixed);

/// The player alone, of a kernel that only_plays(); without windows of single kernels. The clip is
/// options.input.
[[nodiscard]] ContentWindows run_m4_decoder(const Subject& subject, const GateOptions& options,
                                            const std::string& variant);

/// One content, one variant; windows interleaved over options.rounds.
[[nodiscard]] ContentWindows run_m4_content(const Subject& subject, const GateOptions& options,
                                            Content content, const std::string& variant);

}  // namespace sidecore::gates
