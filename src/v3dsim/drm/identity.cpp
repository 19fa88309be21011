#include "v3dsim/drm/identity.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::uint64_t ident0(std::uint64_t major) {
  return major << 24 | std::uint64_t{'D'} << 16 | std::uint64_t{'3'} << 8 | std::uint64_t{'V'};
}

// Fields from bit 0: minor version, slices, QPUs a slice, TMUs a slice; bits 31:28 VPM size in 8
// KiB and bit 24 as on a Raspberry Pi 4, on both: compute uses neither.
constexpr std::uint64_t ident1(std::uint64_t minor, const BoardUnits& units) {
  return minor | units.slices << 4 | units.qpus_per_slice << 8 | units.tmus_per_slice << 12 |
         0x81000000U;
}

}  // namespace

BoardUnits units_of(BoardVersion version) {
  return version == BoardVersion::v42 ? BoardUnits{2, 4, 1} : BoardUnits{3, 4, 1};
}

const char* name_of(BoardVersion version) {
  return version == BoardVersion::v42 ? "4.2" : "7.1";
}

std::optional<std::uint64_t> device_param(const Settings& settings, uapi::Param param) {
  const bool v42 = settings.version == BoardVersion::v42;
  switch (param) {
    case uapi::Param::uifcfg:
      return 0x45;
    case uapi::Param::hub_ident1:
      return 0x000e1124;
    case uapi::Param::hub_ident2:
      return 0x100;
    case uapi::Param::hub_ident3:  // bits 15:8: revision, 14 and 7
      return v42 ? 0x0e00 : 0x0700;
    case uapi::Param::core0_ident0:
      return ident0(v42 ? 4 : 7);
    case uapi::Param::core0_ident1:
      return ident1(v42 ? 2 : 1, units_of(settings.version));
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
  }
  return std::nullopt;
}

}  // namespace sidecore::v3dsim
