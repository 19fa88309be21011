#include "libav/log.h"

extern "C" {
#include <libavutil/log.h>
}

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace sidecore::libav {
namespace {

thread_local std::string t_first_error;

void keep_error(void* /*context*/, int level, const char* format, std::va_list arguments) {
  if (level > AV_LOG_ERROR || !t_first_error.empty()) return;
  std::array<char, 512> line{};
  std::vsnprintf(line.data(), line.size(), format, arguments);
  t_first_error = line.data();
  while (!t_first_error.empty() && (t_first_error.back() == '\n' || t_first_error.back() == '.')) {
    t_first_error.pop_back();
  }
}

}  // namespace

void capture_libav_errors() {
  av_log_set_callback(keep_error);
}

std::string take_libav_error() {
  return std::exchange(t_first_error, {});
}

}  // namespace sidecore::libav
