// The gates M2 and M5 as the simulator's timing model (v3dsim/model.h) has them of a Raspberry Pi.
// Modelled: nothing in it was measured, and nothing is judged by it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gates/kernel.h"
#include "gates/options.h"
#include "qpu/device.h"
#include "shaderdb/simulator_records.h"
#include "split/picture_model.h"

namespace sidecore::shaderdb {

/// One variant doing a picture's worth of units in one submission.
struct ModelledRun {
  std::string variant;
  std::size_t dispatches = 0;
  split::ModelledInterval seconds;  ///< submit to fence
};

struct ModelledContent {
  gates::Content content = gates::Content::random;
  std::string origin;
  std::size_t units = 0;
  std::vector<ModelledRun> runs;  ///< one a variant
};

struct ModelledGates {
  std::string board;   ///< "pi5"
  std::string v3d;     ///< "7.1"
  std::string driver;  ///< whose compiler made the code that was counted
  std::string kernel;
  std::string unit;
  split::ModelledIntervals assumed;
  std::vector<ModelledContent> contents;

  /// Submit to fence, seconds, of so many empty dispatches, at least one. How much of a dispatch's
  /// fixed cost the dispatches of one submission share nobody has published: the low end counts it
  /// once, the high end once a dispatch.
  [[nodiscard]] split::ModelledInterval empty_submission(std::size_t dispatches) const;
};

/// The version of its V3D. `board` is "pi4" or "pi5".
[[nodiscard]] std::string_view v3d_of_board(std::string_view board);

/// What M2 would time, on the simulated V3D: of options its variants, contents and workloads. The
/// device was opened after SimulatorRecords::find(), without a cache of pipelines. Throws Error
/// (usage) as M2 does, and (environment) when the device is not the board's.
[[nodiscard]] ModelledGates model_gates(const gates::Kernel& kernel,
                                        const gates::GateOptions& options, std::string_view board,
                                        qpu::Device& device, const SimulatorRecords& records);

/// For people: each gate under its question; every line of figures says "modelled".
[[nodiscard]] std::string to_text(const ModelledGates& gates);

}  // namespace sidecore::shaderdb
