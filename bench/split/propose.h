// The whole of `sidecore split`: measure, predict, propose, run.
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
  int threads = 1;                 ///< most of them that a plan decodes on, >= 1
  int cores = 1;                   ///< that this process may use, >= 1
  bool run = true;                 ///< the plans, on the rest
  Outcome<qpu::Device*> device{};  ///< the open device (never null), or why there is none
  /// Whether plans of the back end are measured on the device, which a CPU that plays it takes
  /// minutes for.
  bool back_end = true;
  /// The QPU's costs are from one of these where it is given, else from the sample on the device.
  std::optional<model::GateRates> rates{};
  std::optional<model::PictureModel> model{};
  std::string model_file{};  ///< for messages
  /// With a model: whose CPU the threads are, unless this machine's.
  std::optional<model::BoardCpu> board{};
  /// With a model: what the CPU of the board takes, modelled. Then nothing is timed, and nothing
  /// run.
  std::optional<model::BoardCosts> board_costs{};
  std::optional<std::size_t> least_edges{};  ///< none: least_edges_for()
  Aim aim = Aim::speed;
  double fps = 0;  ///< of the aim, above 0 but for `speed`
  /// Reads while plans play at the rate; null: nothing does.
  gates::EnergyMeter* meter = nullptr;
};

/// Whether what runs on the device is what the model is of: a V3D of its version, not simulated.
[[nodiscard]] bool is_modelled_device(const qpu::DeviceInfo& device,
                                      const model::PictureModel& model);

/// From how many edges on a step of the loop filter is the QPU's, in all plans that share it: what
/// was asked for, else StepPrice::least_edges() of what is known: a dispatch as the model has
/// it, as M5 measured it, or as it is measured on the device now; an edge as M3 measured it, or as
/// NEON filters it here.
[[nodiscard]] LeastEdges least_edges_for(const model::Stream& stream,
                                         const ProposeOptions& options);

/// Throws Error (usage) that names the stream when it is damaged, and that names the model when
/// it is of another stream.
[[nodiscard]] Proposal propose(const model::Stream& stream, const ProposeOptions& options);

}  // namespace sidecore::split
