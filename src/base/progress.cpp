#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace sidecore {
namespace {

constexpr std::chrono::milliseconds kDrawInterval{100};

}  // namespace

Progress::Progress(std::string label, std::optional<std::uint64_t> total)
    : label_(std::move(label)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!terminal_ || Clock::now() < next_draw_) return;
  next_draw_ = Clock::now() + kDrawInterval;
  drawn_ = true;
  std::string line = fmt::format("\r{}: {}", label_, done);
  if (total_.has_value() && *total_ > 0) {
    line += fmt::format(" of {} ({} %)", *total_, done * 100 / *total_);
  }
  line += "\x1b[K";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace sidecore
