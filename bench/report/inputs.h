// The files that a report is about.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gates/run.h"
#include "metrics/score_log.h"
#include "model/modelled_gates.h"
#include "shaderdb/document.h"
#include "split/proposal.h"

namespace sidecore::report {

/// Which file; the page calls it by its number, which counts from 1 in the order of the command.
struct Source {
  std::size_t number = 0;
  std::string file;
};

struct GateFile {
  Source source;
  gates::GateReport report;
};

struct ModelFile {
  Source source;
  model::ModelledReport report;
};

struct ShaderdbFile {
  Source source;
  shaderdb::Tables tables;
};

struct MetricsFile {
  Source source;
  metrics::ScoreLog log;
  std::vector<std::pair<std::string, std::string>> facts;  ///< what sidecore adds to libvmaf's log
  /// Outputs that are scores of VMAF's models, not features: those that sidecore says were asked
  /// for, and those whose names begin with "vmaf", as they do unless told otherwise.
  std::set<std::string> model_scores;
};

struct SplitFile {
  Source source;
  split::Proposal proposal;
};

struct Inputs {
  std::vector<GateFile> gates;
  std::vector<ModelFile> models;
  std::vector<SplitFile> split;
  std::vector<ShaderdbFile> shaderdb;
  std::vector<MetricsFile> metrics;
};

/// Reads results of `sidecore gate` (measured or modelled), `split` and `shaderdb`, and logs of
/// `sidecore metrics` or libvmaf, each recognised by what it says of itself. Throws Error (usage)
/// that names the file and says what is wrong with it.
[[nodiscard]] Inputs read_inputs(std::span<const std::filesystem::path> files);

}  // namespace sidecore::report
