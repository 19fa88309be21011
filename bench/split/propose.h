// All of `sidecore split`: measures the first frames of a stream, predicts the time of
// the remaining ones under each stage plan, runs the plans and proposes one.
#pragma once

#include <optional>
#include <string>

#include "base/outcome.h"
#include "model/board_model.h"
#include "model/gate_results.h"
#include "model/picture_model.h"
#include "model/stream.h"
#include "qpu/device.h"
#include "split/proposal.h"

namespace sidecore::split {

struct ProposeOptions {
  int threads = 1;                 ///< most threads that a plan decodes on, >= 1
  int cores = 1;                   ///< cores that this process may use, >= 1
  bool run = true;                 ///< runs the plans on the remaining frames if true
  Outcome<qpu::Device*> device{};  ///< the open device (never null), or why there is none
  /// Measures plans that reconstruct on the device if true. A Vulkan driver on the CPU takes
  /// minutes for them.
  bool back_end = true;
  /// Source of the QPU's costs: `rates` or `model`. Without both, frames are measured on the
  /// device.
  std::optional<model::GateRates> rates{};
  std::optional<model::PictureModel> model{};
  std::string model_file{};  ///< path of `model`, for messages
  /// Used with `model`: the CPU that the threads run on; without it, this machine's.
  std::optional<model::BoardCpu> board{};
  /// Used with `model`: modelled costs of a board's CPU. With them nothing is timed and nothing is
  /// run.
  std::optional<model::BoardCosts> board_costs{};
  std::optional<std::size_t> least_edges{};  ///< if none, choose_least_edges() computes it
  Aim aim = Aim::speed;
  double fps = 0;  ///< pictures per second of the aim; 0 only for `speed`
  /// Measures energy while plans play at the rate; null if it must not be measured.
  gates::EnergyMeter* meter = nullptr;
};

/// Returns true if the device is what `model` describes: a real V3D of the same version.
[[nodiscard]] bool is_modelled_device(const qpu::DeviceInfo& device,
                                      const model::PictureModel& model);

/// Returns the fewest edges for which the QPU filters a dependency level, in all plans with a
/// divided loop filter: options.least_edges if it is set, else StepPrice::least_edges(). The cost
/// of a dispatch comes from the model, from M5, or from a measurement on the device. The cost of an
/// edge comes from board_costs, from M3, or from a measurement of NEON on this machine.
[[nodiscard]] LeastEdges choose_least_edges(const model::Stream& stream,
                                            const ProposeOptions& options);

/// Measures, predicts, runs the plans and proposes one. Throws Error (usage) that names the stream
/// if it is damaged, and that names the model if it models another stream.
[[nodiscard]] Proposal propose(const model::Stream& stream, const ProposeOptions& options);

}  // namespace sidecore::split
