// What a gate judges: a kernel, and where its QPU implementation can run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "gates/board_watch.h"
#include "gates/energy_meter.h"
#include "gates/gpu_usage.h"
#include "gates/kernel.h"
#include "qpu/device.h"

namespace sidecore::gates {

/// A QPU variant of the kernel on the device at hand.
struct VariantState {
  std::string name;
  std::string refusal;    ///< why it cannot run here; empty when it can
  bool baseline = false;  ///< QpuVariant::baseline
};

/// What the QPU's part in M4's work is worth.
struct PayOff {
  double gain = 0;              ///< mixed / baseline - 1, of medians
  bool outside_spread = false;  ///< no window of the one side reaches the other side's windows
  std::string winner;           ///< the better of the two splits
};

/// A kernel of the same stage whose player has played already.
struct EarlierPlayer {
  std::string kernel;
  std::optional<PayOff> pay_off;
};

struct Subject {
  const Kernel* kernel = nullptr;
  const Kernel* beside = nullptr;       ///< the other kernel of a mixed picture job, or null
  Outcome<qpu::Device*> device;         ///< a value is not null
  std::vector<VariantState> variants;   ///< those asked for
  std::optional<EarlierPlayer> played;  ///< M4 then leaves the kernel's player out
  BoardWatch* watch = nullptr;          ///< samples while M4's windows run; may be null
  GpuUsage* usage = nullptr;            ///< read before and after M4's windows; may be null
  EnergyMeter* energy = nullptr;        ///< reads while players keep a rate; may be null

  [[nodiscard]] std::vector<std::string> runnable() const;
  /// Returns why no variant runs here; empty when one does.
  [[nodiscard]] std::string refusal_of_qpu() const;
};

/// Asks the kernel and the device which of `wanted` run; "all" are all, and empty all but the
/// baselines. Throws Error (usage) that lists the kernel's variants when one of `wanted` is not
/// among them.
[[nodiscard]] Subject make_subject(const Kernel& kernel, const Kernel* beside,
                                   Outcome<qpu::Device*> device,
                                   const std::vector<std::string>& wanted);

}  // namespace sidecore::gates
