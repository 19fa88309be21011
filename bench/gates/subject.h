// The kernel under test, and the device that its QPU variants run on.
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

/// A QPU variant of the kernel, and whether it can run on the device.
struct VariantState {
  std::string name;
  std::string refusal;    ///< reason why the variant cannot run here; empty if it can
  bool baseline = false;  ///< QpuVariant::baseline
};

/// Gain of NEON with the QPU over NEON on all threads, from M4.
struct SpeedGain {
  double gain = 0;  ///< rate with the QPU divided by the rate of NEON, minus 1, from medians
  bool outside_spread = false;  ///< true if the two ranges of time windows do not overlap
  std::string winner;           ///< name of the faster configuration with the QPU
};

/// Kernel of the same stage whose playback test has run already, and that test's gain.
struct EarlierPlayback {
  std::string kernel;
  std::optional<SpeedGain> pay_off;
};

struct KernelUnderTest {
  const Kernel* kernel = nullptr;
  const Kernel* beside = nullptr;      ///< companion kernel of mixed picture jobs, or null
  Outcome<qpu::Device*> device;        ///< device, never null, or the reason why there is none
  std::vector<VariantState> variants;  ///< variants that were requested
  /// If set, the playback test ran for this kernel, and M4 leaves it out.
  std::optional<EarlierPlayback> played;
  BoardWatch* watch = nullptr;    ///< reads the board's state during M4; may be null
  GpuUsage* usage = nullptr;      ///< measures M4's time windows; may be null
  EnergyMeter* energy = nullptr;  ///< measures playback at a fixed rate; may be null

  [[nodiscard]] std::vector<std::string> runnable() const;
  /// Returns the reason why no variant can run here; empty if one can.
  [[nodiscard]] std::string refusal_of_qpu() const;
};

/// Makes a subject with the variants `wanted`: names, "all", or empty for all except baselines.
/// Checks which of them the device can run. Throws Error (usage) that lists the kernel's variants
/// if `wanted` has an unknown name.
[[nodiscard]] KernelUnderTest make_kernel_under_test(const Kernel& kernel, const Kernel* beside,
                                                     Outcome<qpu::Device*> device,
                                                     const std::vector<std::string>& wanted);

}  // namespace sidecore::gates
