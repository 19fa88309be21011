#include "bench/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/error.h"

namespace sidecore::bench {

std::span<const gates::Kernel> kernels() {
  static const std::vector<gates::Kernel> kAll = [] {
    std::vector<gates::Kernel> all;
#define SIDECORE_KERNELS(file) std::ranges::move(file##_kernels(), std::back_inserter(all));
#include "bench/kernels.inc"
#undef SIDECORE_KERNELS
    return all;
  }();
  return kAll;
}

const gates::Kernel& find_kernel(std::string_view name) {
  std::string names;
  for (const gates::Kernel& kernel : kernels()) {
    if (kernel.name == name) return kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
  }
  throw usage_error("there is no kernel {}; there are: {}", name, names);
}

}  // namespace sidecore::bench
