#include "boards/models.h"

#include <string>

namespace sidecore::boards {

const BoardFile* find_model(std::string_view name) {
  if (name == "pi4") {
    static const BoardFile file = parse_board_file(std::string(model_pi4()), "model_pi4.json");
    return &file;
  }
  if (name == "pi5") {
    static const BoardFile file = parse_board_file(std::string(model_pi5()), "model_pi5.json");
    return &file;
  }
  return nullptr;
}

}  // namespace sidecore::boards
