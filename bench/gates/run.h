// A run of the gates: what was asked, what was found.
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
  // Neither value nor reason: the gate was not asked for.
  Outcome<AgreementReport> m1;
  Outcome<QpuThroughputReport> m2;
  Outcome<CpuThroughputReport> m3;
  Outcome<ConcurrencyReport> m4;
  std::vector<ContentVerdict> verdicts;  ///< one a content; none when no gate but M5 was asked for

  /// Neither M1 nor M4's player, where they ran, found a difference.
  [[nodiscard]] bool agrees() const;
};

struct GateReport : RunRecord {
  GateOptions options;
  Outcome<qpu::DeviceInfo> device;
  Outcome<DispatchCostReport> m5;  ///< neither value nor reason: it was not asked for
  std::vector<KernelReport> kernels;

  /// All kernels do.
  [[nodiscard]] bool agrees() const;
  /// The board's state in all windows of M4 together.
  [[nodiscard]] BoardState during_windows() const;
};

/// What run_gates() works on.
struct RunSetting {
  std::vector<const Kernel*> kernels;
  /// The other kernel of mixed picture jobs, for each of `kernels`; null where there is none.
  std::vector<const Kernel*> beside;
  Outcome<qpu::Device*> device;      ///< a value is not null
  std::filesystem::path root = "/";  ///< of /proc and /sys
};

/// Those of `kernels` that take the options' pictures; of each other one `left_out` gets why not,
/// in a sentence without its full stop. Throws Error (usage) when no kernel takes them.
[[nodiscard]] std::vector<const Kernel*> suited_kernels(std::span<const Kernel* const> kernels,
                                                        const GateOptions& options,
                                                        std::vector<std::string>& left_out);

/// Runs what options.gates names. Throws Error (usage) for options that do not suit a kernel, and
/// Error (environment) when a gate that was named (options.gates_named) cannot run here.
[[nodiscard]] GateReport run_gates(const RunSetting& setting, const GateOptions& options);

/// For people: each gate under its question, with a line on what its figures mean.
[[nodiscard]] std::string to_text(const GateReport& report);

/// What is known of one content of a kernel, for judge().
[[nodiscard]] Evidence gather_evidence(const KernelReport& kernel, const GateReport& report,
                                       Content content);

/// Whether M4 leaves the content's windows out: M2 and M3 may_stop_early(), the gate was not named,
/// and no player may still tell otherwise. Throws what players throw.
[[nodiscard]] bool leaves_out_windows(const Subject& subject, const GateReport& report,
                                      const KernelReport& kernel, Content content);

}  // namespace sidecore::gates
