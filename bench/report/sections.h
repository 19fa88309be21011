// The page's sections, in their order. Each is HTML, and empty when no file has anything for it.
#pragma once

#include <string>

#include "report/inputs.h"

namespace sidecore::report {

/// One line for each kernel, and what the words mean.
[[nodiscard]] std::string overview_section(const Inputs& inputs);
/// A sentence for each kernel on each board.
[[nodiscard]] std::string verdict_section(const Inputs& inputs);
/// Which stage of a decoder runs where, and how fast each plan is, predicted and measured.
[[nodiscard]] std::string split_section(const Inputs& inputs);
/// Which files, made by which command, on which board in what state; what spoils their figures.
[[nodiscard]] std::string environment_section(const Inputs& inputs);
/// M1 to M4 of each kernel, the files side by side.
[[nodiscard]] std::string gate_section(const Inputs& inputs);
/// The GPU's performance counters of one kernel's M2 in one file, or why there are none.
[[nodiscard]] std::string counter_table(const GateFile& file, const gates::KernelReport& kernel);
/// M4 of one kernel in one file: its windows as charts and tables.
[[nodiscard]] std::string window_charts(const GateFile& file, const gates::KernelReport& kernel,
                                        std::size_t kernel_index);
/// M2 to M4 of each kernel as timing models have them of a board: nothing in it was measured.
[[nodiscard]] std::string model_section(const Inputs& inputs);
/// M5.
[[nodiscard]] std::string dispatch_section(const Inputs& inputs);
/// M2 over what the simulator counted.
[[nodiscard]] std::string roofline_section(const Inputs& inputs);
/// What the Pi's compiler makes of the shaders, file after file.
[[nodiscard]] std::string shaderdb_section(const Inputs& inputs);
/// Scores a frame.
[[nodiscard]] std::string metrics_section(const Inputs& inputs);

}  // namespace sidecore::report
