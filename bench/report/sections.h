// The page's sections, in their order. Each function returns HTML, or "" if no file has data for
// it.
#pragma once

#include <string>

#include "report/inputs.h"

namespace sidecore::report {

/// Returns a table with one row per kernel, and an explanation of the terms.
[[nodiscard]] std::string overview_section(const Inputs& inputs);
/// Returns the verdicts: a sentence per kernel and board.
[[nodiscard]] std::string verdict_section(const Inputs& inputs);
/// Returns the proposals of `sidecore split`: stage plans with predicted and measured speed.
[[nodiscard]] std::string split_section(const Inputs& inputs);
/// Returns the figures of the files of `sidecore verdict` beside those of their board's model.
[[nodiscard]] std::string boards_section(const Inputs& inputs);
/// Returns the list of files: command, board, board state, and warnings about their figures.
[[nodiscard]] std::string environment_section(const Inputs& inputs);
/// Returns M1 to M4 of each kernel, with all files in the same tables.
[[nodiscard]] std::string gate_section(const Inputs& inputs);
/// Returns the GPU's performance counters of one kernel's M2 in one file, or the reason why there
/// are none.
[[nodiscard]] std::string counter_table(const GateFile& file, const gates::KernelReport& kernel);
/// Returns M4 of one kernel in one file: its time windows as charts and tables.
[[nodiscard]] std::string window_charts(const GateFile& file, const gates::KernelReport& kernel,
                                        std::size_t kernel_index);
/// Returns modelled M2 to M4 of each kernel. Nothing in it was measured.
[[nodiscard]] std::string model_section(const Inputs& inputs);
/// Returns M5: the cost of dispatches.
[[nodiscard]] std::string dispatch_section(const Inputs& inputs);
/// Returns the roofline charts: M2's rates with the instructions that the simulator counted.
[[nodiscard]] std::string roofline_section(const Inputs& inputs);
/// Returns the shader database: figures of the Pi's shader compiler and the simulator, per file.
[[nodiscard]] std::string shaderdb_section(const Inputs& inputs);
/// Returns the scores per frame.
[[nodiscard]] std::string metrics_section(const Inputs& inputs);

}  // namespace sidecore::report
