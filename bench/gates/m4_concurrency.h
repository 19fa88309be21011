// Gate M4: is NEON with the QPU faster than NEON alone?
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

/// Work of a time window. One pass is all work units of one picture.
enum class WindowWork : std::uint8_t {
  same,        ///< all NEON threads and the QPU run the kernel
  mixed_neon,  ///< NEON threads run picture jobs: for one picture the kernel, then its companion
  mixed_qpu,   ///< the QPU runs the kernel, NEON runs the companion kernel
};

/// Returns the enumerator's name.
[[nodiscard]] const char* to_string(WindowWork work);

struct WindowPlan {
  WindowWork work = WindowWork::same;
  int neon_threads = 0;
  bool qpu = false;

  /// Returns for example "NEON x3 + QPU".
  [[nodiscard]] std::string label() const;
};

/// Measurements of one configuration; each SampleSet has one sample per round.
struct WindowResult {
  WindowPlan plan;
  SampleSet neon_passes;  ///< pictures per second of all NEON threads together
  SampleSet qpu_passes;   ///< pictures per second of the QPU
  /// The rate that is compared. For WindowWork::same: work units per second of NEON and QPU
  /// together. Otherwise: complete picture jobs per second (mixed_qpu: pictures of the slower
  /// processor).
  SampleSet rate;
  std::vector<BoardState>
      states;  ///< board's state, one element per round; empty without KernelUnderTest::watch
  /// Busy shares of the GPU's queues, per round, if the Linux kernel reports them. Reading them
  /// before and after a time window does not disturb it. Performance counters would disturb it:
  /// they are queries inside the command lists, need the profiling lock, and make the v3d driver
  /// switch its performance monitor between lists in flight. M2 collects them instead.
  std::vector<std::vector<EngineShare>> gpu_busy;
  std::vector<BranchRate>
      /// Branch rates of the kernel at the end; filtering in place changes the samples.
      branches_at_end;
};

struct ContentWindows {
  Content content = Content::random;
  std::string origin;
  std::size_t units = 0;
  std::string variant;
  Outcome<std::string> beside;  ///< name of the companion kernel, or the reason why none ran
  /// Branch rates on the samples that every time window starts from.
  std::vector<BranchRate> branches;
  std::vector<WindowResult> windows;
  /// Gain of NEON with the QPU over NEON on all threads; none if the Vulkan device is a CPU.
  std::optional<SpeedGain> same;
  std::optional<SpeedGain> mixed;
  /// The playback test, or the reason why it did not run. Both are absent if the kernel belongs to
  /// no decoder stage.
  Outcome<PlaybackResult> player;
  std::optional<SpeedGain>
      player_pay_off;  ///< speed gain of the faster plan with the QPU in the playback test
};

struct ConcurrencyReport {
  std::vector<ContentWindows> contents;
  Outcome<std::string> gpu_busy_source;  ///< GpuUsage::source()

  /// Returns true if every playback test showed the scalar decoder's pictures.
  [[nodiscard]] bool agrees() const;
};

/// Computes the gain of the fastest configuration with NEON and QPU over the one with all `threads`
/// NEON threads and no QPU. `mixed` selects the picture jobs, otherwise WindowWork::same. Returns
/// nothing if a configuration is missing or NEON's rate is 0.
[[nodiscard]] std::optional<SpeedGain> pay_off(const std::vector<WindowResult>& windows, bool mixed,
                                               int threads);

/// Computes the gain of `mixed` over `baseline`, rates of the same unit. Returns nothing if the
/// baseline's rate is 0.
[[nodiscard]] std::optional<SpeedGain> compute_gain(const SampleSet& mixed,
                                                    const SampleSet& baseline,
                                                    const std::string& winner);

/// Computes the gain of the playback test's faster plan with the QPU over NEON. Returns nothing if
/// NEON's rate is 0.
[[nodiscard]] std::optional<SpeedGain> compute_gain(const PlaybackResult& player);

/// Returns the configurations for up to `threads` NEON threads, in the order of a round.
[[nodiscard]] std::vector<WindowPlan> window_plans(int threads, bool mixed);

/// Runs the playback test of a whole decoder (is_whole_decoder()) on the clip options.input,
/// without time windows of single kernels.
[[nodiscard]] ContentWindows run_m4_decoder(const KernelUnderTest& subject,
                                            const GateOptions& options, const std::string& variant);

/// Runs the time windows of one variant on one content, and the playback test. Each of
/// options.rounds rounds runs every configuration once.
[[nodiscard]] ContentWindows run_m4_content(const KernelUnderTest& subject,
                                            const GateOptions& options, Content content,
                                            const std::string& variant);

}  // namespace sidecore::gates
