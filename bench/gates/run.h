// A run of the gates: its setting and its report.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "gates/environment.h"
#include "gates/m1_agreement.h"
#include "gates/m2_qpu_throughput.h"
#include "gates/m3_neon_throughput.h"
#include "gates/m4_concurrency.h"
#include "gates/m5_dispatch_cost.h"
#include "gates/options.h"
#include "gates/subject.h"
#include "gates/verdict.h"

namespace sidecore::gates {

struct ContentVerdict {
  Content content = Content::random;
  Verdict verdict;
};

struct KernelReport {
  std::string name;
  std::string description;
  std::string unit;
  std::vector<VariantState> variants;
  // Reports of the gates. An outcome without value and reason means that the gate was not
  // requested. m4 has both if it left out a content.
  Outcome<AgreementReport> m1;
  Outcome<QpuThroughputReport> m2;
  Outcome<CpuThroughputReport> m3;
  Outcome<ConcurrencyReport> m4;
  std::vector<ContentVerdict> verdicts;  ///< one verdict per content; none if only M5 was requested

  /// Returns true if neither M1 nor M4's playback test found a difference. Gates that did not run
  /// do not count.
  [[nodiscard]] bool agrees() const;
};

struct GateReport : RunRecord {
  GateOptions options;
  Outcome<qpu::DeviceInfo> device;
  /// Report of M5; neither value nor reason if it was not requested.
  Outcome<DispatchCostReport> m5;
  std::vector<KernelReport> kernels;

  /// Returns true if KernelReport::agrees() is true for all kernels.
  [[nodiscard]] bool agrees() const;
  /// Returns the extremes of the board's state over all time windows of M4.
  [[nodiscard]] BoardState during_windows() const;
};

/// The kernels, the device and the system that run_gates() uses.
struct RunSetting {
  std::vector<const Kernel*> kernels;
  /// Companion kernel of mixed picture jobs, one for each of `kernels`; null: none.
  std::vector<const Kernel*> beside;
  Outcome<qpu::Device*> device;      ///< device, never null, or the reason why there is none
  std::filesystem::path root = "/";  ///< folder that contains proc and sys; "/" except in tests
};

/// Returns the kernels that accept the options' pictures. Adds a reason, without a full stop, to
/// `left_out` for each other kernel. Throws Error (usage) if no kernel accepts them.
[[nodiscard]] std::vector<const Kernel*> suited_kernels(std::span<const Kernel* const> kernels,
                                                        const GateOptions& options,
                                                        std::vector<std::string>& left_out);

/// Runs the gates in options.gates. Throws Error (usage) if the options do not suit a kernel, and
/// Error (environment) if options.gates_named is set and a gate cannot run here.
[[nodiscard]] GateReport run_gates(const RunSetting& setting, const GateOptions& options);

/// Returns the report as text: each gate with its question as a heading and a line that explains
/// its figures.
[[nodiscard]] std::string to_text(const GateReport& report);

/// Collects the figures of one kernel on one content for judge().
[[nodiscard]] Evidence gather_evidence(const KernelReport& kernel, const GateReport& report,
                                       Content content);

/// Returns true if M4 leaves the content out: may_stop_early() holds, the gate was not named, and
/// no playback test can change the verdict. Throws the exceptions of Kernel::make_player().
[[nodiscard]] bool leaves_out_windows(const KernelUnderTest& subject, const GateReport& report,
                                      const KernelReport& kernel, Content content);

}  // namespace sidecore::gates
