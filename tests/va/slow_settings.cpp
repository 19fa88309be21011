// Settings that make a driver's back end slow, like that of a busy device.
#include <chrono>
#include <thread>

#include "players/settings.h"

namespace sidecore::players {

Settings read_settings(const Report& /*report*/) {
  using std::chrono_literals::operator""ms;
  Settings settings;
  settings.threads = 3;
  settings.observer.before_filter = [](const vp9::FrameBuffer& /*frame*/,
                                       const vp9::LoopFilterEdges& /*edges*/,
                                       int /*sharpness*/) { std::this_thread::sleep_for(20ms); };
  return settings;
}

}  // namespace sidecore::players
