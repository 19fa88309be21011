#include "gates/driver_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <string_view>

namespace sidecore::gates {
namespace {

using Version = std::array<int, 3>;

/// Parses "Linux 6.12.34+rpt-rpi-2712".
std::optional<Version> version_of(const std::string& kernel) {
  static const std::regex kForm(R"(^Linux (\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?.*)");
  std::smatch found;
  if (!std::regex_match(kernel, found, kForm)) return std::nullopt;
  const std::string patch = found[3].str();
  return Version{std::stoi(found[1]), std::stoi(found[2]), patch.empty() ? 0 : std::stoi(patch)};
}

/// Returns the day of the build, "2024-10-01", from the text of the kernel of Raspberry Pi OS,
/// "#1 SMP PREEMPT Debian 1:6.6.51-1+rpt2 (2024-10-01)"; empty if there is none.
std::string build_day(const std::string& build) {
  static const std::regex kForm(R"(.*\((\d{4}-\d{2}-\d{2})\)\s*$)");
  std::smatch found;
  return std::regex_match(build, found, kForm) ? found[1].str() : "";
}

/// A fault and the kernels that have it. For builds of Raspberry Pi OS, the day of the build
/// decides. Days have the form "2024-10-01" and are compared as text.
struct Fault {
  const char* affects;
  Version from;            ///< first version with the fault
  std::string_view day;    ///< first day of builds with the fault; empty: all days
  std::string_view fixed;  ///< first day of builds without the fault
  /// For other kernels, the version decides. These are the first releases that are known to have
  /// the fix: one for each line of releases that had the fault, and the first release of a line
  /// without it.
  std::array<Version, 3> certain;
  const char* text;
};

// The texts give numbers of pull requests of github.com/raspberrypi/linux. `certain` has releases
// of late January 2025 or later, by which time Linux had the fix of 6514.
constexpr Version kNever{9999, 0, 0};
const std::array kFaults{
    Fault{"gpu_counters",
          {0, 0, 0},
          "",
          "2024-12-11",
          {{{6, 6, 74}, {6, 12, 10}, {6, 13, 0}}},
          "the driver {} not clear the GPU's performance counters before a job on a Raspberry Pi "
          "5, so that their values accumulate over jobs (pull 6514, fixed in December 2024)"},
    Fault{"gpu_time",
          {6, 8, 0},
          "",
          "2024-12-10",
          {{{6, 12, 10}, {6, 13, 0}, kNever}},
          "the driver {} lower the GPU's clock during work (pull 6525, fixed in December 2024)"},
    Fault{"gpu_timestamps",
          {6, 8, 0},
          "2024-12-09",
          "2025-01-15",
          {{{6, 12, 13}, {6, 13, 0}, kNever}},
          "a timestamp {} wait 4.5 ms for the GPU's clock to rise (pull 6611, fixed in January "
          "2025)"},
    Fault{"energy",
          {6, 18, 0},
          "",
          "2026-02-24",
          {{kNever, kNever, kNever}},
          "the GPU's clock {} stay high while it is idle, which costs energy (pull 7256, fixed in "
          "February 2026)"},
    Fault{"run",
          {6, 18, 0},
          "",
          "2026-07-16",
          {{kNever, kNever, kNever}},
          "the GPU {} hang at the first job after a pause, after which the kernel resets it (pull "
          "7503, fixed in July 2026)"},
};

enum class Has : std::uint8_t { no, maybe, yes };

Has has(const Fault& fault, const Version& version, const std::string& day) {
  if (version < fault.from) return Has::no;
  if (!day.empty()) return day < fault.fixed && day >= fault.day ? Has::yes : Has::no;
  for (const Version& fixed : fault.certain) {
    const bool same_line = version[0] == fixed[0] && version[1] == fixed[1];
    if (same_line && version >= fixed) return Has::no;
  }
  const Version& last = *std::ranges::max_element(
      fault.certain, {}, [](const Version& v) { return v == kNever ? Version{} : v; });
  return last != kNever && version >= last ? Has::no : Has::maybe;
}

}  // namespace

std::vector<DriverWarning> driver_warnings(const EnvironmentRecord& record) {
  std::vector<DriverWarning> warnings;
  if (record.board.find("Raspberry Pi") == std::string::npos) return warnings;
  const std::optional<Version> version = version_of(record.kernel);
  if (!version.has_value()) return warnings;
  const std::string day = build_day(record.kernel_build);
  for (const Fault& fault : kFaults) {
    const Has certainty = has(fault, *version, day);
    if (certainty == Has::no) continue;
    // The text says "does" only for certain. Faults other than that of the counters show only now
    // and then, even on a kernel that has them.
    const bool always = certainty == Has::yes && std::string_view(fault.affects) == "gpu_counters";
    warnings.push_back(
        {fault.affects, fmt::format(fmt::runtime(fault.text), always ? "does" : "may")});
  }
  return warnings;
}

std::string counters_distrust(const EnvironmentRecord& record) {
  for (const DriverWarning& warning : driver_warnings(record)) {
    if (warning.affects == "gpu_counters") return warning.text;
  }
  return {};
}

}  // namespace sidecore::gates
