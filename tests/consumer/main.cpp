// A program outside the project. It includes a header of every module and calls into the two that
// pull in most: what is missing from the package shows here.
#include <cstdio>

#include "base/error.h"
#include "libav/open.h"
#include "metrics/score_clips.h"
#include "neon/vp9/dsp.h"
#include "qpu/device.h"
#include "qpu/vp9/loop_filter.h"
#include "vp9/loop_filter.h"

int main() {
  const sidecore::vp9::LoopFilterLimits limits = sidecore::vp9::loop_filter_limits(32, 0);
  std::printf("limits of level 32: %d %d %d\n", limits.blimit, limits.limit, limits.thresh);
  try {
    std::printf("%zu devices\n", sidecore::qpu::list_devices().size());
  } catch (const sidecore::Error& error) {  // a machine without Vulkan is a fine place to build
    std::printf("no device: %s\n", error.what());
  }
  try {
    static_cast<void>(sidecore::libav::open_source("no such file"));
  } catch (const sidecore::Error& error) {
    std::printf("no clip: %s\n", error.what());
  }
  return limits.blimit == 2 * (32 + 2) + 32 ? 0 : 1;
}
