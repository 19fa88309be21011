// Gates M2 to M5 of a Raspberry Pi, computed by timing models. The QPU's times are from the
// simulator's model (v3dsim/model.h); those of the CPU and of shared memory are from model/costs.h.
// No figure was measured, and no verdict follows from them.
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

/// Rate of one processor (NEON core or QPU) and its traffic between caches and memory, as
/// intervals.
struct ModelledRate {
  Estimate units_per_second;  ///< rate; for NEON: on one core, with all data in its first cache
  Estimate bytes_per_unit;
};

/// Returns units per second of `cores` cores, limited by the memory that they share.
[[nodiscard]] Estimate rate_on(const Board& board, int cores, const ModelledRate& neon);
/// Returns gain_of_qpu() of model/costs.h, with its least and greatest value over the ends of all
/// intervals.
[[nodiscard]] Estimate gain_of_qpu(const Board& board, const ModelledRate& neon,
                                   const ModelledRate& qpu);

/// Returns "gain" or "loss" if the whole interval is above or below 0, else "open".
[[nodiscard]] const char* sign_of(const Estimate& gain);

/// Result of M2 for one variant: the work units of one picture in one submission.
struct ModelledRun {
  std::string variant;
  std::size_t dispatches = 0;
  ModelledInterval seconds;      ///< time from submit to fence, in seconds
  double bytes = 0;              ///< bytes per picture that move between memory and the QPU's cache
  std::optional<Estimate> gain;  ///< gain as in M4; none without ModelledContent::neon
};

/// Result of M3 for one content.
struct ModelledNeon {
  Estimate cycles;  ///< cycles per work unit, with all data in the first cache
  /// Bytes per work unit that move from and to memory. At the low end each byte of the workload
  /// moves once; at the high end it is read and written back. 0 if the last cache holds the
  /// workload.
  Estimate bytes;
  Estimate one_core;  ///< work units per second on one core
  Estimate all_cores;
};

struct ModelledContent {
  gates::Content content = gates::Content::random;
  std::string origin;
  std::size_t units = 0;
  /// Result of M3; none if the model has no cycles for the units.
  std::optional<ModelledNeon> neon;
  std::vector<ModelledRun> runs;  ///< results of M2, one element per variant
};

struct ModelledGates {
  std::string board;  ///< name of the board: "pi5"
  int cores = 0;
  std::string v3d;     ///< version of the board's V3D: "7.1"
  std::string driver;  ///< driver whose compiler made the counted code
  std::string kernel;
  std::string unit;
  ModelledIntervals assumed;
  std::vector<ModelledContent> contents;

  /// Returns the seconds from submit to fence of empty dispatches, at least one. It is unknown
  /// whether the dispatches of a submission share their fixed cost: the low end counts it once, the
  /// high end once per dispatch.
  [[nodiscard]] ModelledInterval empty_submission(std::size_t dispatches) const;
};

/// Result of one run of `sidecore gate --model`.
struct ModelledReport {
  std::vector<std::string> command_line;
  std::vector<ModelledGates> kernels;
};

/// Models M2 to M4 for the variants, contents and workloads of `options`. The QPU's part runs on
/// the simulated V3D; NEON's part follows from its kernel calls. The device must be opened after
/// shaderdb::SimulatorRecords::find(), without a pipeline cache. Throws Error (usage) as M2 does,
/// and (environment) if the device is not that of the board.
[[nodiscard]] ModelledGates model_gates(const gates::Kernel& kernel,
                                        const gates::GateOptions& options, std::string_view board,
                                        qpu::Device& device,
                                        const shaderdb::SimulatorRecords& records);

/// Returns the report as text: each gate with its question as a heading, and all figures marked
/// "modelled".
[[nodiscard]] std::string to_text(const ModelledGates& gates);

/// Returns a JSON document with "schema": "sidecore-gate-model", "version": 1.
[[nodiscard]] std::string to_json(const ModelledReport& report);
/// Reads a document that to_json() wrote; `origin` is its file, for messages. Throws Error (usage)
/// if it is not a complete document of this kind, or has a newer version.
[[nodiscard]] ModelledReport parse_modelled_report(const std::string& text,
                                                   const std::string& origin);
/// Returns the JSON Schema (draft 7) of the documents that to_json() writes.
[[nodiscard]] std::string modelled_report_schema();

}  // namespace sidecore::model
