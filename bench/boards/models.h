// The figures that the models predict for `sidecore verdict` on a Raspberry Pi, as files of the
// same kind. scripts/board-model made them.
#pragma once

#include <string_view>

#include "boards/board_file.h"

namespace sidecore::boards {

/// Returns the modelled file of "pi4" or "pi5", or null for other names. The file lives as long as
/// the program.
[[nodiscard]] const BoardFile* find_model(std::string_view name);

/// Texts of bench/boards/model_pi4.json and model_pi5.json, embedded at build time.
[[nodiscard]] std::string_view model_pi4();
[[nodiscard]] std::string_view model_pi5();

}  // namespace sidecore::boards
