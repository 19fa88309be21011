#include "qpu/performance_counters.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace sidecore::qpu {
namespace {

// Number of counters read on other GPUs, whose drivers offer hundreds. The choice is not tuned for
// them.
constexpr std::size_t kCountersOfUnknownDevices = 16;

// Counter names in drivers/gpu/drm/v3d of Linux 6.11 and later, and in Mesa for older kernels. One
// performance monitor of the kernel holds 32 counters. Neither V3D version has more than 32 of
// these names, so that one pass reads them all.
constexpr std::array<std::string_view, 46> kNames{
    // Names that V3D 4.2 and 7.1 share.
    "cycle-count", "compute-active-cycles", "QPU-total-instr-cache-hit",
    "QPU-total-instr-cache-miss", "QPU-total-uniform-cache-hit", "QPU-total-uniform-cache-miss",
    "TMU-active-cycles", "TMU-stalled-cycles", "TMU-total-text-quads-access", "L2T-total-cache-hit",
    "L2T-total-cache-miss", "L2T-TMU-read-miss", "AXI-write-bytes-seen-watch-0",
    "AXI-read-bytes-seen-watch-0", "core-memory-writes", "core-memory-reads", "L2T-memory-writes",
    "L2T-memory-reads",
    // Names of V3D 4.2 only.
    "QPU-total-idle-clk-cycles", "QPU-total-active-clk-cycles-vertex-coord-shading",
    "QPU-total-clk-cycles-executing-valid-instr", "QPU-total-clk-cycles-waiting-TMU",
    "QPU-total-clk-cycles-waiting-vertex-coord-shading", "TMU-total-text-cache-miss",
    "TMU-MRU-hits", "L2T-TMU-writes", "L2T-TMU-reads", "L2T-TMU-write-miss",
    // Names of V3D 7.1 only.
    "L2T-TMU-read-hits", "L2T-SLC-read-hits", "L2T-SLC-read-miss", "L2T-writeback", "L2T-fill",
    "AXI-read-trans", "AXI-write-trans", "AXI-read-wait-cycles", "AXI-write-wait-cycles",
    "QPU-wait-bubble", "QPU-ic-miss-bubble", "QPU-active", "QPU-stalls", "QPU-stalls-TMU",
    "QPU-stalls-VPM", "QPU-stalls-uniforms", "QPU-stalls-SFU", "QPU-stalls-other"};

bool is_worth_reading(const PerformanceCounter& counter) {
  return counter.name.starts_with("simulated-") ||
         std::ranges::find(kNames, counter.name) != kNames.end();
}

}  // namespace

std::vector<PerformanceCounter> choose_counters(std::span<const PerformanceCounter> offered) {
  std::vector<PerformanceCounter> chosen;
  std::ranges::copy_if(offered, std::back_inserter(chosen), is_worth_reading);
  if (!chosen.empty()) return chosen;
  for (const PerformanceCounter& counter : offered) {
    if (counter.scope != "render pass" && chosen.size() < kCountersOfUnknownDevices) {
      chosen.push_back(counter);
    }
  }
  return chosen;
}

}  // namespace sidecore::qpu
