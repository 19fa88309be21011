// What the fake device says about itself.
#pragma once

#include <cstdint>
#include <optional>

#include "v3dsim/drm/settings.h"
#include "v3dsim/drm/uapi.h"

namespace sidecore::v3dsim {

/// Units of the V3D of a board.
struct BoardUnits {
  unsigned slices;
  unsigned qpus_per_slice;
  unsigned tmus_per_slice;

  [[nodiscard]] unsigned qpus() const { return slices * qpus_per_slice; }
};
[[nodiscard]] BoardUnits units_of(BoardVersion version);

/// "4.2" or "7.1".
[[nodiscard]] const char* name_of(BoardVersion version);

/// The answer to GET_PARAM, or nothing where the kernel of that board would answer EINVAL.
[[nodiscard]] std::optional<std::uint64_t> device_param(const Settings& settings,
                                                        uapi::Param param);

}  // namespace sidecore::v3dsim
