#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

namespace sidecore {
namespace {

constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

void print_remark(std::string_view text) {
  // A failed write is ignored, because work continues if the terminal is closed.
  [[maybe_unused]] const std::size_t written = std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_remark_once(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> printed;
  const std::scoped_lock lock(mutex);
  if (printed.emplace(text).second) print_remark(text);
}

Progress::Progress(std::string label, std::optional<std::uint64_t> total)
    : label_(std::move(label)),
      total_(total),
      on_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_draw_(start_) {}

Progress::~Progress() {
  if (drawn_) print_remark(kClearLine);
}

void Progress::update(std::uint64_t done) {
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  std::string line = fmt::format("{}{}: {}", kClearLine, label_, done);
  if (total_) line += fmt::format(" of {}", *total_);
  const double elapsed = seconds(now - start_);
  if (elapsed > 0) line += fmt::format(" ({:.1f}/s)", static_cast<double>(done) / elapsed);
  print_remark(line);
  drawn_ = true;
}

}  // namespace sidecore
