// What the fake device says about itself.
#pragma once

#include <cstdint>
#include <optional>

#include "v3dsim/drm/settings.h"
#include "v3dsim/drm/uapi.h"

namespace sidecore::v3dsim {

/// The answer to GET_PARAM, or nothing where the kernel of that board would answer EINVAL.
[[nodiscard]] std::optional<std::uint64_t> device_param(const Settings& settings,
                                                        uapi::Param param);

}  // namespace sidecore::v3dsim
