// The result files that a report shows.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "boards/board_file.h"
#include "gates/run.h"
#include "metrics/score_log.h"
#include "model/modelled_gates.h"
#include "shaderdb/document.h"
#include "split/proposal.h"

namespace sidecore::report {

/// A file and its number on the page: 1, 2, ... in the order of the command line.
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
  std::vector<std::pair<std::string, std::string>>
      facts;  ///< members that sidecore adds to libvmaf's format, as text
  /// Names of the scores of VMAF models; other outputs are features. A score belongs to a model if
  /// the log lists the model, or if the name begins with "vmaf", which is the default name.
  std::set<std::string> model_scores;
};

struct SplitFile {
  Source source;
  split::Proposal proposal;
};

struct BoardInput {
  Source source;
  boards::BoardFile file;
};

struct Inputs {
  std::vector<GateFile> gates;
  std::vector<ModelFile> models;
  std::vector<SplitFile> split;
  std::vector<ShaderdbFile> shaderdb;
  std::vector<MetricsFile> metrics;
  std::vector<BoardInput> boards;
};

/// Reads results of `sidecore gate` (measured or modelled), `split`, `verdict` and `shaderdb`, and
/// logs of `sidecore metrics` or libvmaf. Recognises each file by its content. Throws Error (usage)
/// that names the file and its fault.
[[nodiscard]] Inputs read_inputs(std::span<const std::filesystem::path> files);

}  // namespace sidecore::report
