#include "bench/registry.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "bench/metrics/float_adm.h"
#include "bench/metrics/float_ms_ssim.h"
#include "bench/metrics/float_psnr.h"
#include "bench/metrics/float_ssim.h"
#include "bench/metrics/psnr_hvs.h"
#include "bench/vp9/loop_filter.h"

namespace sidecore::bench {

std::span<const gates::Kernel* const> kernels() {
  static const std::array kAll = {
      &loop_filter_kernel(vp9::LoopFilterKind::h_4),
      &loop_filter_kernel(vp9::LoopFilterKind::h_8),
      &loop_filter_kernel(vp9::LoopFilterKind::h_16),
      &loop_filter_kernel(vp9::LoopFilterKind::v_4),
      &loop_filter_kernel(vp9::LoopFilterKind::v_8),
      &loop_filter_kernel(vp9::LoopFilterKind::v_16),
      &float_psnr_kernel(),
      &float_ssim_kernel(),
      &float_ms_ssim_kernel(),
      &psnr_hvs_kernel(),
      &float_adm_kernel(),
  };
  return kAll;
}

const gates::Kernel& find_kernel(const std::string& name) {
  std::string names;
  for (const gates::Kernel* kernel : kernels()) {
    if (kernel->name() == name) return *kernel;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kernel->name());
  }
  throw usage_error("there is no kernel {}; there are: {}", name, names);
}

}  // namespace sidecore::bench
