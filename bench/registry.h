// The kernels of this build. Adding one means adding its line to registry.cpp.
#pragma once

#include <span>
#include <string>

#include "gates/kernel.h"

namespace sidecore::bench {

[[nodiscard]] std::span<const gates::Kernel* const> kernels();

/// Throws Error (usage) that lists the names when there is none of that name.
[[nodiscard]] const gates::Kernel& find_kernel(const std::string& name);

}  // namespace sidecore::bench
