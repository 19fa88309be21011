// The kernels of this build; bench/kernels/kernels.inc lists them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gates/kernel.h"

namespace sidecore::bench {

// What each line of the lists stands for.
#define SIDECORE_KERNELS(file) std::vector<gates::Kernel> file##_kernels();
#include "examples/kernels.inc"
#include "kernels/kernels.inc"
#undef SIDECORE_KERNELS

[[nodiscard]] std::span<const gates::Kernel> kernels();
/// Whole decoders: gates::only_plays().
[[nodiscard]] std::span<const gates::Kernel> decoders();

/// Throws Error (usage) that lists the names when there is none of that name.
[[nodiscard]] const gates::Kernel& find_kernel(std::string_view name);
/// The same of kernels and decoders.
[[nodiscard]] const gates::Kernel& find_kernel_or_decoder(std::string_view name);

}  // namespace sidecore::bench
