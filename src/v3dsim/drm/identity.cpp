#include "v3dsim/drm/identity.h"

#include "v3dsim/simulated_counters.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::uint64_t ident0(std::uint64_t major) {
  return major << 24 | std::uint64_t{'D'} << 16 | std::uint64_t{'3'} << 8 | std::uint64_t{'V'};
}

// Fields from bit 0: minor version, slices, QPUs a slice, TMUs a slice; bits 31:28 VPM size in 8
// KiB and bit 24 as on a Raspberry Pi 4, on both: compute uses neither.
constexpr std::uint64_t ident1(std::uint64_t minor, const Machine& machine) {
  constexpr unsigned kTmusPerSlice = 1;
  return minor | machine.slices << 4 | machine.qpus / machine.slices << 8 | kTmusPerSlice << 12 |
         0x81000000U;
}

}  // namespace

std::optional<std::uint64_t> device_param(const Settings& settings, uapi::Param param) {
  const bool v42 = settings.version == Version::v42;
  switch (param) {
    case uapi::Param::uifcfg:
      return 0x45;
    case uapi::Param::hub_ident1:
      return 0x000e1124;
    case uapi::Param::hub_ident2:
      return 0x100;
    case uapi::Param::hub_ident3:
      return settings.machine().revision << 8;
    case uapi::Param::core0_ident0:
      return ident0(v42 ? 4 : 7);
    case uapi::Param::core0_ident1:
      return ident1(v42 ? 2 : 1, settings.machine());
    case uapi::Param::core0_ident2:
      return 0x40078121;
    case uapi::Param::supports_tfu:
    case uapi::Param::supports_csd:
    case uapi::Param::supports_cache_flush:
    case uapi::Param::supports_perfmon:
    case uapi::Param::supports_multisync:
      return 1;
    case uapi::Param::supports_cpu_queue:
      return settings.cpu_queue ? 1 : 0;
    case uapi::Param::max_perf_counters:
      return kSimulatedCounters;
  }
  return std::nullopt;
}

}  // namespace sidecore::v3dsim
