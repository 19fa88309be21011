#include "vp9/stage_clock.h"

namespace sidecore::vp9 {

const char* to_string(ClockRow row) {
  switch (row) {
    case ClockRow::parsing:
      return "parsing";
    case ClockRow::prediction:
      return "inter prediction";
    case ClockRow::intra:
      return "intra prediction";
    case ClockRow::residual:
      return "residual";
    case ClockRow::edge_derivation:
      return "edge derivation";
    case ClockRow::loop_filter:
      return "loop filter";
    case ClockRow::submission:
      return "submission to the QPU";
    case ClockRow::waiting:
      return "waiting for the QPU";
    case ClockRow::other:
      return "other";
  }
  return "unknown";
}

}  // namespace sidecore::vp9
