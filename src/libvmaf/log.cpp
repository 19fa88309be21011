#include "libvmaf/log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <new>
#include <string>

#include "base/printable.h"

namespace sidecore::libvmaf {
namespace {

std::atomic<int> log_level = VMAF_LOG_LEVEL_INFO;

}  // namespace

void set_log_level(VmafLogLevel level) noexcept {
  log_level = std::clamp<int>(level, VMAF_LOG_LEVEL_NONE, VMAF_LOG_LEVEL_DEBUG);
}

void log(VmafLogLevel level, const char* message) noexcept {
  constexpr std::array kNames{"", "ERROR", "WARNING", "INFO", "DEBUG"};
  if (level > log_level) return;
  std::string text;
  try {
    text = printable(message);
    message = text.c_str();
  } catch (const std::bad_alloc&) {
    message = "there is not enough memory for a message";
  }
  std::fprintf(stderr, "libvmaf %s %s\n", kNames[static_cast<std::size_t>(level)], message);
}

}  // namespace sidecore::libvmaf
