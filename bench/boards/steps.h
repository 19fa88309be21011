// The steps of `sidecore verdict`. Each calls the functions that `sidecore gate` and `sidecore
// split` call, and keeps their results as figures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "boards/board_file.h"
#include "split/proposal.h"

namespace sidecore::boards {

/// Settings of all steps.
struct StepSettings {
  std::string clip;  ///< path of a VP9 clip; empty: `no_clip` says why
  std::string no_clip;
  std::string device;  ///< device to open, as in qpu::DeviceOptions::selector
  int threads = 1;     ///< number of NEON threads, at most the CPUs that the process may use
  Budget budget = Budget::full;
};

struct Step {
  const char* name;
  const char* title;  ///< title of the step in the progress output
  /// Time limit of the step in seconds, at which it is ended. The limits of all steps together are
  /// at most kMaxSeconds.
  double limit;
  bool needs_clip;
  StepResult (*run)(const Step& step, const StepSettings& settings);
};

/// Time limit of all steps together, in seconds.
inline constexpr double kMaxSeconds = 600;
/// Fixed rate at which the back end and the plans of split play, in pictures per second.
inline constexpr double kPicturesPerSecond = 30;

/// Returns all steps in the order in which they run.
[[nodiscard]] std::span<const Step> steps();

/// Runs a step in this process and records its duration and throttling. Throws what the gates
/// throw.
[[nodiscard]] StepResult run_step(const Step& step, const StepSettings& settings);

/// Opens the device, and returns its names, or why there is none. Sets `substitute` to true if the
/// device is a CPU or simulated.
[[nodiscard]] Outcome<DeviceName> find_device(const StepSettings& settings, bool& substitute);

/// Returns the speed and, at a fixed rate, the CPU time per picture of each plan, as it ran or as a
/// model has it. Names are "split.PLAN.THREADS.speed" and ".cpu".
[[nodiscard]] std::vector<Figure> split_figures(const split::Proposal& proposal);

/// Returns the clip's record. Throws Error (usage) if the file cannot be read or is no VP9 stream.
[[nodiscard]] ClipRecord record_clip(const std::string& path);

}  // namespace sidecore::boards
