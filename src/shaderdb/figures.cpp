#include "shaderdb/figures.h"

#include <array>

namespace sidecore::shaderdb {

std::span<const FigureKind> compiled_figures() {
  static constexpr std::array kKinds = {
      FigureKind{"instructions", Better::lower}, FigureKind{"threads", Better::higher},
      FigureKind{"strategy", Better::lower},     FigureKind{"loops", Better::neither},
      FigureKind{"uniforms", Better::lower},     FigureKind{"max_temps", Better::neither},
      FigureKind{"spills", Better::lower},       FigureKind{"fills", Better::lower},
      FigureKind{"spill_bytes", Better::lower},  FigureKind{"sfu_stalls", Better::lower},
      FigureKind{"nops", Better::neither},
  };
  return kKinds;
}

std::span<const FigureKind> executed_figures() {
  static constexpr std::array kKinds = {
      FigureKind{"instructions", Better::lower}, FigureKind{"loads", Better::lower},
      FigureKind{"stores", Better::lower},       FigureKind{"atomics", Better::lower},
      FigureKind{"bytes", Better::lower},        FigureKind{"request_lines", Better::lower},
      FigureKind{"unique_lines", Better::lower}, FigureKind{"divergent_branches", Better::lower},
  };
  return kKinds;
}

}  // namespace sidecore::shaderdb
