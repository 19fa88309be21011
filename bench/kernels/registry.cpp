#include "kernels/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>

#include "base/error.h"
#include "kernels/vp9/vp9_player.h"

namespace sidecore::bench {
namespace {

const gates::Kernel& find_in(std::initializer_list<std::span<const gates::Kernel>> lists,
                             std::string_view name) {
  std::string names;
  for (const std::span<const gates::Kernel> list : lists) {
    for (const gates::Kernel& kernel : list) {
      if (kernel.name == name) return kernel;
      names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel.name);
    }
  }
  throw usage_error("there is no kernel {}; there are: {}", name, names);
}

}  // namespace

std::span<const gates::Kernel> kernels() {
  static const std::vector<gates::Kernel> kAll = [] {
    std::vector<gates::Kernel> all;
#define SIDECORE_KERNELS(file) std::ranges::move(file##_kernels(), std::back_inserter(all));
#include "kernels/kernels.inc"
#ifdef SIDECORE_EXAMPLES
#include "examples/kernels.inc"
#endif
#undef SIDECORE_KERNELS
    return all;
  }();
  return kAll;
}

std::span<const gates::Kernel> decoders() {
  static const std::vector<gates::Kernel> kAll{vp9_back_end()};
  return kAll;
}

const gates::Kernel& find_kernel(std::string_view name) {
  return find_in({kernels()}, name);
}

const gates::Kernel& find_kernel_or_decoder(std::string_view name) {
  return find_in({kernels(), decoders()}, name);
}

}  // namespace sidecore::bench
