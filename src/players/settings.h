// What a user decides for players, which nobody tells options: who does which stage, on how many
// threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "vp9/decoder.h"
#include "vp9/plan.h"

namespace sidecore::players {

struct Settings {
  vp9::Plan plan;                  ///< NEON's; without filter options
  std::string plan_text = "neon";  ///< the plan as it was said
  int threads = 1;                 ///< of a stream, 1 to 256
  std::string device;  ///< of the QPU's stages, as `sidecore decode --device`; empty: the best
  std::int64_t max_pixels = vp9::kMostSamplesOfALevel;  ///< of a frame's luma; larger is refused
  bool stage_times = false;       ///< whether a stream's log tells each stage's time
  std::string dma_heap;           ///< of exported surfaces, as va::DmaHeap::open(); "off": none is
  vp9::FrameObserver observer{};  ///< of the decoder; no user sets it
};

/// Takes one line for whom it may concern.
using Report = std::function<void(const std::string&)>;

/// By rising precedence: the defaults (a thread for each CPU), /etc/sidecore.conf,
/// $XDG_CONFIG_HOME/sidecore.conf ($HOME/.config without it), and SIDECORE_PLAN, SIDECORE_THREADS,
/// SIDECORE_DEVICE, SIDECORE_MAX_PIXELS, SIDECORE_STAGE_TIMES and SIDECORE_DMA_HEAP, of which an
/// empty one counts as unset. A file, of 64 KiB at most, has lines of KEY = VALUE (plan, threads,
/// device, max_pixels, stage_times, dma_heap) and comments after #. What is wrong is one line in
/// the report, and changes nothing.
[[nodiscard]] Settings read_settings(const Report& report);

/// The text of a file, as above; `name` is for the report.
void apply_settings(std::string_view text, const std::string& name, Settings& settings,
                    const Report& report);

}  // namespace sidecore::players
