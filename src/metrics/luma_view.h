// Luma samples in any memory.
#pragma once

#include <cstdint>
#include <variant>

#include "video/picture.h"

namespace sidecore::metrics {

/// Luma samples of either type, in a picture or in other memory.
using LumaView =
    std::variant<video::PlaneView<const std::uint8_t>, video::PlaneView<const std::uint16_t>>;

[[nodiscard]] inline LumaView luma_view(const video::Picture& picture) {
  if (picture.format().pixel.bits == 8) return picture.plane<std::uint8_t>(0);
  return picture.plane<std::uint16_t>(0);
}

}  // namespace sidecore::metrics
