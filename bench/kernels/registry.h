// The kernels of this build, from the list bench/kernels/kernels.inc.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gates/kernel.h"

namespace sidecore::bench {

// Each line of the list declares its function.
#define SIDECORE_KERNELS(file) std::vector<gates::Kernel> file##_kernels();
#include "examples/kernels.inc"
#include "kernels/kernels.inc"
#undef SIDECORE_KERNELS

[[nodiscard]] std::span<const gates::Kernel> kernels();
/// Returns the whole decoders (gates::is_whole_decoder()).
[[nodiscard]] std::span<const gates::Kernel> decoders();

/// Returns the kernel of that name. Throws Error (usage) that lists the names if there is none.
[[nodiscard]] const gates::Kernel& find_kernel(std::string_view name);
/// Returns the kernel or whole decoder of that name. Throws Error (usage) that lists the names if
/// there is none.
[[nodiscard]] const gates::Kernel& find_kernel_or_decoder(std::string_view name);

}  // namespace sidecore::bench
