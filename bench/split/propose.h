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
  int threads = 1;  ///< largest number of threads that a plan decodes on, at least 1
  int cores = 1;    ///< number of cores that this process may use, at least 1
  bool run = true;  ///< true: runs the plans on the remaining frames
  /// The open device (never null), or the reason why there is none.
  Outcome<qpu::Device*> device{};
  /// True: measures plans that reconstruct on the device. A Vulkan driver on the CPU takes minutes
  /// for them.
  bool back_end = true;
  /// Source of the QPU's costs: `rates` or `model`. Without both, frames are measured on the
  /// device.
  std::optional<model::GateRates> rates{};
  std::optional<model::PictureModel> model{};
  std::string model_file{};  ///< path of `model`, for messages
  /// CPU that the threads run on, used only with `model`; none: this machine's CPU.
  std::optional<model::BoardCpu> board{};
  /// Modelled costs of a board's CPU, used only with `model`. With them nothing is timed and
  /// nothing is run.
  std::optional<model::BoardCosts> board_costs{};
  /// Number of edges of LeastEdges; if none, choose_least_edges() computes it.
  std::optional<std::size_t> least_edges{};
  Aim aim = Aim::speed;
  double fps = 0;  ///< picture rate of the aim, in pictures per second; 0 only for `speed`
  /// Meter for the energy while plans play at the rate; null if energy must not be measured.
  gates::EnergyMeter* meter = nullptr;
};

/// Returns true if the device is what `model` describes: a real V3D of the same version.
[[nodiscard]] bool is_modelled_device(const qpu::DeviceInfo& device,
                                      const model::PictureModel& model);

/// Returns the smallest number of edges of a dependency level that the QPU filters, for all plans
/// with a divided loop filter: options.least_edges if it is set, else StepPrice::least_edges(). The
/// cost of a dispatch comes from the model, from M5, or from a measurement on the device. The cost
/// of an edge comes from board_costs, from M3, or from a measurement of NEON on this machine.
[[nodiscard]] LeastEdges choose_least_edges(const model::Stream& stream,
                                            const ProposeOptions& options);

/// Measures, predicts, runs the plans and proposes one. Throws Error (usage) that names the stream
/// if it is damaged, and that names the model if it models another stream.
[[nodiscard]] Proposal propose(const model::Stream& stream, const ProposeOptions& options);

}  // namespace sidecore::split
