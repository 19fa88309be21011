#include "gates/pace.h"

#include <ctime>
#include <thread>
#include <utility>

namespace sidecore::gates {

Clock::time_point PaceClock::now() {
  return Clock::now();
}

void PaceClock::wait_until(Clock::time_point time) {
  std::this_thread::sleep_until(time);
}

Nanoseconds PaceClock::cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanoseconds(time.tv_nsec);
}

Pace::Pace(double fps, PaceClock& clock) : period_ns_(1e9 / fps), clock_(clock) {}

void Pace::begin(std::size_t held) {
  held_ = held;
  released_ = 0;
  shown_ = 0;
  begin_ = clock_.now();
  cpu_at_begin_ = clock_.cpu_time();
}

// The time is computed from the picture's number, not from the last release, so that rounding
// errors do not add up.
Clock::time_point Pace::release_time(std::size_t number) const {
  const std::chrono::duration<double, std::nano> after(period_ns_ * static_cast<double>(number));
  return begin_ + std::chrono::round<Nanoseconds>(after);
}

std::size_t Pace::release() {
  clock_.wait_until(release_time(released_));
  return released_++;
}

void Pace::show(std::size_t number) {
  const Clock::time_point now = clock_.now();
  latencies_ns_.push_back(static_cast<double>((now - release_time(number)).count()));
  if (now > release_time(number + held_ + 1)) ++missed_;
  ++shown_;
}

Nanoseconds Pace::elapsed() const {
  return clock_.now() - begin_;
}

void Pace::end() {
  if (shown_ == 0) return;
  const Nanoseconds cpu = clock_.cpu_time() - cpu_at_begin_;
  cpu_ns_.push_back(static_cast<double>(cpu.count()) / static_cast<double>(shown_));
  pictures_ += std::exchange(shown_, 0);
}

PacedFigures Pace::figures() const {
  return {pictures_, missed_, SampleSet(latencies_ns_), SampleSet(cpu_ns_)};
}

}  // namespace sidecore::gates
