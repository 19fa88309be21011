// Settings of the VA-API driver, the GStreamer element and libvmaf's interface: the stage plan,
// threads, limits, and the processor of the metrics. They come from files and environment
// variables, because players pass no options.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "vp9/decoder.h"
#include "vp9/plan.h"

namespace sidecore::players {

/// Processor that computes the metrics of libvmaf's interface.
enum class MetricsProcessor : std::uint8_t { scalar, neon, qpu };

struct Settings {
  vp9::Plan plan;  ///< stage plan: NEON for all stages by default; never with filter options
  std::string plan_text = "neon";  ///< the plan as the user wrote it
  int threads = 1;                 ///< number of threads per stream, 1 to 256
  std::string device;  ///< the QPU's device, as in `sidecore decode --device`; empty: the best one
  /// Number of luma samples of the largest accepted frame.
  std::int64_t max_pixels = vp9::kMaxLumaSamplesOfAnyLevel;
  bool stage_times = false;  ///< true: log each stage's time at the end of a stream
  std::string dma_heap;      ///< heap for exported surfaces, see va::DmaHeap; "off": no export
  MetricsProcessor metrics = MetricsProcessor::neon;
  vp9::FrameObserver observer{};  ///< observer of the decoder, for tests: users cannot set it
};

/// Function that receives one line, which names a wrong setting.
using Report = std::function<void(const std::string&)>;

/// Reads the settings. Later sources override earlier ones:
/// - defaults: one thread per CPU that this process may use;
/// - /etc/sidecore.conf;
/// - $XDG_CONFIG_HOME/sidecore.conf, or $HOME/.config/sidecore.conf if the variable is unset;
/// - SIDECORE_PLAN, SIDECORE_THREADS, SIDECORE_DEVICE, SIDECORE_MAX_PIXELS, SIDECORE_STAGE_TIMES,
///   SIDECORE_DMA_HEAP and SIDECORE_METRICS; an empty variable counts as unset.
/// A file has at most 64 KiB of lines KEY = VALUE (plan, threads, device, max_pixels, stage_times,
/// dma_heap, metrics) with comments after #. A wrong line or variable changes nothing and is
/// reported in one line.
[[nodiscard]] Settings read_settings(const Report& report);

/// Applies the text of a configuration file; `name` is the file's name in reports.
void apply_settings(std::string_view text, const std::string& name, Settings& settings,
                    const Report& report);

}  // namespace sidecore::players
