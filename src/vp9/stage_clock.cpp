#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::parsing:
      return "parsing";
    case Stage::prediction:
      return "prediction";
    case Stage::residual:
      return "residual";
    case Stage::edges:
      return "edge derivation";
    case Stage::filter:
      return "loop filter";
    case Stage::other:
      return "other";
  }
  return "unknown";
}

}  // namespace sidecore::vp9
