// The kernels of this build; bench/kernels.inc lists them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gates/kernel.h"

namespace sidecore::bench {

// What each line of the list stands for.
#define SIDECORE_KERNELS(file) std::vector<gates::Kernel> file##_kernels();
#include "bench/kernels.inc"
#undef SIDECORE_KERNELS

[[nodiscard]] std::span<const gates::Kernel> kernels();

/// Throws Error (usage) that lists the names when there is none of that name.
[[nodiscard]] const gates::Kernel& find_kernel(std::string_view name);

}  // namespace sidecore::bench
