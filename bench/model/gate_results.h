// What `sidecore gate` found on this board, as far as a split of the decoder's work needs it.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/run.h"

namespace sidecore::model {

/// Edges a second by [vertical, horizontal][width 4, 8, 16].
using EdgeRates = std::array<std::array<double, 3>, 2>;

/// What a result's QPU was.
struct MeasuredDevice {
  qpu::DeviceInfo info;
  std::string origin;  ///< the first result that names it
};

struct GateRates {
  /// The QPU alone: M4.
  EdgeRates qpu_edges{};
  double submission = 0;  ///< seconds, M5
  double dispatch = 0;    ///< seconds of one more in a submission, M5
  /// Rates alone over rates beside the other side at full width, medians of M4: 1 is undisturbed.
  double qpu_slowdown = 1;
  double neon_slowdown = 1;
  /// Time of NEON in the device's memory over that in the heap: M3.
  double device_memory_factor = 1;
  /// Seconds of an edge on one NEON thread in the heap, mean of the six kinds: M3. 0 without it.
  double neon_edge = 0;
  std::optional<MeasuredDevice> device;  ///< none when no result has one
  std::vector<std::string> origins;

  [[nodiscard]] bool cpu_device() const;  ///< the "QPU" was the CPU's cores
};

/// What M3 found of a board's CPU, for use beside a model of its QPU.
struct BoardCpu {
  std::string board;
  bool this_machine = false;  ///< the same board as the one that asks
  /// Of one NEON thread in the heap: M3.
  EdgeRates neon_edges{};
  double device_memory_factor = 1;  ///< as in GateRates
  bool knows_device_memory = false;
  std::vector<std::string> origins;

  [[nodiscard]] double neon_edge() const;  ///< seconds of one, mean of the six kinds
};

/// The kernel whose edges are of that direction and width; indices as above.
[[nodiscard]] const char* kernel_of(std::size_t direction, std::size_t width);

/// Puts the results of several runs together; a later one wins. `names` are for messages, as many
/// as results. Throws Error (usage) when a result is of another board than `board`, of a simulated
/// device or of another one than the others, or void because the board throttled, or when one of
/// the six loop filters' M4 or the cost of a dispatch is in none of them.
[[nodiscard]] GateRates gate_rates(std::span<const gates::GateReport> results,
                                   std::span<const std::string> names,
                                   const gates::EnvironmentRecord& board);

/// Throws Error (usage) that names the result when the rates are of another device than `opened`.
void check_device(const GateRates& rates, const qpu::DeviceInfo& opened);

/// The M3 of results of one board, whichever that is; `here` is the machine that asks. Throws Error
/// (usage) when a result is of another board than the first, of a simulated device, void, of
/// another V3D than `v3d`, of a CPU without NEON, or one of the six loop filters' M3 is in none of
/// them.
[[nodiscard]] BoardCpu board_cpu(std::span<const gates::GateReport> results,
                                 std::span<const std::string> names,
                                 const gates::EnvironmentRecord& here, const std::string& v3d);

/// Reads the files. Throws what gates::read_result() throws.
[[nodiscard]] std::vector<gates::GateReport> read_results(std::span<const std::string> files);

}  // namespace sidecore::model
