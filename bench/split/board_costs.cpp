// The boards that armsim models.
#include "split/board_model.h"

namespace sidecore::split {

BoardCosts board_costs(const armsim::Board& board) {
  return {board,
          [core = board.core](std::string_view kernel, std::string_view input, int bits) {
            return armsim::kernel_cycles(core, kernel, input, bits, armsim::Implementation::neon);
          },
          armsim::stream_costs(board.core),
          [core = board.core](int width, int height, int bits) {
            return armsim::memory_cycles(core, width, height, bits);
          }};
}

std::optional<armsim::Board> board_of(std::string_view name) {
  for (const armsim::Board& board : {armsim::pi4(), armsim::pi5()}) {
    if (board.name == name) return board;
  }
  return std::nullopt;
}

std::string_view v3d_of(const armsim::Board& board) {
  return board.core == armsim::Core::cortex_a72 ? "4.2" : "7.1";
}

}  // namespace sidecore::split
