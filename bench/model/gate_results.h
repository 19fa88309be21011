// Results of `sidecore gate` as costs of the loop filter, for predictions by `sidecore split`.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/run.h"

namespace sidecore::model {

/// Edges per second, by [vertical, horizontal][width 4, 8, 16].
using EdgeRates = std::array<std::array<double, 3>, 2>;

/// The device that was measured as the QPU.
struct MeasuredDevice {
  qpu::DeviceInfo info;
  std::string origin;  ///< file of the first result that names the device
};

struct GateRates {
  /// Rates of the QPU alone, in edges per second, from M4.
  EdgeRates qpu_edges{};
  double submission = 0;  ///< seconds per submission, from M5
  double dispatch = 0;    ///< seconds per further dispatch in a submission, from M5
  /// Rate alone divided by the rate while QPU and all NEON threads work, from medians of M4. 1
  /// means no slowdown.
  double qpu_slowdown = 1;
  double neon_slowdown = 1;
  /// Time of NEON in device memory divided by its time in the heap, from M3.
  double device_memory_factor = 1;
  /// Seconds per edge on one NEON thread in the heap, mean of the six kinds, from M3; 0 without M3.
  double neon_edge = 0;
  std::optional<MeasuredDevice> device;  ///< the measured device; none if no result names a device
  std::vector<std::string> origins;

  /// Returns true if the measured device was a Vulkan driver on the CPU.
  [[nodiscard]] bool cpu_device() const;
};

/// Speed of a board's CPU from M3, for use beside a model of its QPU.
struct BoardCpu {
  std::string board;
  bool this_machine = false;  ///< true if the board is the machine that split runs on
  /// Rates of one NEON thread in the heap, in edges per second, from M3.
  EdgeRates neon_edges{};
  double device_memory_factor = 1;  ///< factor as in GateRates::device_memory_factor
  bool knows_device_memory = false;
  std::vector<std::string> origins;

  /// Returns the seconds per edge on one NEON thread, mean of the six kinds.
  [[nodiscard]] double neon_edge() const;
};

/// Returns the name of the kernel that filters edges of a direction and width; indices as in
/// EdgeRates.
[[nodiscard]] const char* kernel_of(std::size_t direction, std::size_t width);

/// Combines the results of several runs; if several have a rate, the last one counts. names[i] is
/// the file of results[i], for messages. Throws Error (usage)
///   - if a result is from another board than `board`, or from a simulated device,
///   - if results are from different devices,
///   - if a result is void because the board throttled,
///   - if no result has M4 of one of the six loop filters, or M5.
[[nodiscard]] GateRates gate_rates(std::span<const gates::GateReport> results,
                                   std::span<const std::string> names,
                                   const gates::EnvironmentRecord& board);

/// Checks that the rates are from the device `opened`. Throws Error (usage) that names the result
/// if not.
void check_device(const GateRates& rates, const qpu::DeviceInfo& opened);

/// Combines M3 of the results of one board; `here` describes this machine. names[i] is the file of
/// results[i]. Throws Error (usage)
///   - if a result is from another board than the first, or from a simulated device,
///   - if a result is void, from a CPU without NEON, or from another V3D than `v3d`,
///   - if no result has M3 of one of the six loop filters.
[[nodiscard]] BoardCpu board_cpu(std::span<const gates::GateReport> results,
                                 std::span<const std::string> names,
                                 const gates::EnvironmentRecord& here, const std::string& v3d);

/// Reads the files. Throws the exceptions of gates::read_result().
[[nodiscard]] std::vector<gates::GateReport> read_results(std::span<const std::string> files);

}  // namespace sidecore::model
