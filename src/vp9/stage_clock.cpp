#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::parsing:
      return "parsing";
    case Stage::prediction:
      return "inter prediction";
    case Stage::intra:
      return "intra prediction";
    case Stage::residual:
      return "residual";
    case Stage::edges:
      return "edge derivation";
    case Stage::filter:
      return "loop filter";
    case Stage::submission:
      return "submission to the QPU";
    case Stage::waiting:
      return "waiting for the QPU";
    case Stage::other:
      return "other";
  }
  return "unknown";
}

}  // namespace sidecore::vp9
