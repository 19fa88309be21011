// Boards whose CPU cores are modelled.
#include "model/board_model.h"

namespace sidecore::model {

BoardCosts board_costs(const Board& board) {
  return {board,
          [core = board.core](std::string_view kernel, std::string_view input, int bits) {
            return kernel_cycles(core, kernel, input, bits, Implementation::neon);
          },
          stream_costs(board.core),
          [core = board.core](int width, int height, int bits) {
            return memory_cycles(core, width, height, bits);
          },
          uncached_rates(board.core)};
}

std::optional<Board> board_of(std::string_view name) {
  for (const Board& board : {pi4(), pi5()}) {
    if (board.name == name) return board;
  }
  return std::nullopt;
}

std::string_view v3d_of(const Board& board) {
  return board.core == Core::cortex_a72 ? "4.2" : "7.1";
}

}  // namespace sidecore::model
