// The gates M2 to M5 of a Raspberry Pi as timing models have them: the QPU's by the simulator's
// (v3dsim/model.h), the CPU's and the memory that both share by model/costs.h.
// Modelled: nothing in it was measured, and nothing is judged by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gates/kernel.h"
#include "gates/options.h"
#include "model/costs.h"
#include "model/frame_costs.h"
#include "model/picture_model.h"
#include "qpu/device.h"
#include "shaderdb/simulator_records.h"

namespace sidecore::model {

/// One side's work and what it moves from and to memory behind the caches, as an interval each.
struct ModelledSide {
  Estimate units_per_second;  ///< NEON: on one core, all data in its first cache
  Estimate bytes_per_unit;
};

/// Units a second of so many cores where the memory limits them together.
[[nodiscard]] Estimate rate_on(const Board& board, int cores, const ModelledSide& neon);
/// The gain of two loads (model/costs.h) over all corners of both intervals.
[[nodiscard]] Estimate gain_of_qpu(const Board& board, const ModelledSide& neon,
                                   const ModelledSide& qpu);

/// "gain" or "loss" where all of the interval is, else "open".
[[nodiscard]] const char* sign_of(const Estimate& gain);

/// One variant doing a picture's worth of units in one submission.
struct ModelledRun {
  std::string variant;
  std::size_t dispatches = 0;
  ModelledInterval seconds;      ///< submit to fence
  double bytes = 0;              ///< of a picture, from and to memory behind the QPU's cache
  std::optional<Estimate> gain;  ///< M4; none where there is no ModelledContent::neon
};

/// What M3 would find.
struct ModelledNeon {
  Estimate cycles;  ///< of a unit, all data in the first cache
  /// Of a unit, from and to memory: between each byte of the workload once and each read and
  /// written back; nothing where the last cache holds it all.
  Estimate bytes;
  Estimate one_core;  ///< units a second
  Estimate all_cores;
};

struct ModelledContent {
  gates::Content content = gates::Content::random;
  std::string origin;
  std::size_t units = 0;
  std::optional<ModelledNeon> neon;  ///< none where no cycles are modelled of what the units do
  std::vector<ModelledRun> runs;     ///< one a variant
};

struct ModelledGates {
  std::string board;  ///< "pi5"
  int cores = 0;
  std::string v3d;     ///< "7.1"
  std::string driver;  ///< whose compiler made the code that was counted
  std::string kernel;
  std::string unit;
  ModelledIntervals assumed;
  std::vector<ModelledContent> contents;

  /// Submit to fence, seconds, of so many empty dispatches, at least one. How much of a dispatch's
  /// fixed cost the dispatches of one submission share nobody has published: the low end counts it
  /// once, the high end once a dispatch.
  [[nodiscard]] ModelledInterval empty_submission(std::size_t dispatches) const;
};

/// What one run of `sidecore gate --model` says.
struct ModelledReport {
  std::vector<std::string> command_line;
  std::vector<ModelledGates> kernels;
};

/// What M2 to M4 would find, of options their variants, contents and workloads: the QPU's part on
/// the simulated V3D, NEON's from the calls that it would make. The
/// device was opened after shaderdb::SimulatorRecords::find(), without a cache of pipelines. Throws
/// Error (usage) as M2 does, and (environment) when the device is not the board's.
[[nodiscard]] ModelledGates model_gates(const gates::Kernel& kernel,
                                        const gates::GateOptions& options, std::string_view board,
                                        qpu::Device& device,
                                        const shaderdb::SimulatorRecords& records);

/// For people: each gate under its question; every line of figures says "modelled".
[[nodiscard]] std::string to_text(const ModelledGates& gates);

/// One JSON document: "schema": "sidecore-gate-model", "version": 1.
[[nodiscard]] std::string to_json(const ModelledReport& report);
/// Reads what to_json() wrote; `origin` is the text's file, for messages. Throws Error (usage) when
/// it is no whole document of this kind, or of a newer version.
[[nodiscard]] ModelledReport parse_modelled_report(const std::string& text,
                                                   const std::string& origin);
/// The JSON Schema (draft 7) of what to_json() writes.
[[nodiscard]] std::string modelled_report_schema();

}  // namespace sidecore::model
