#include "gates/timed_submit.h"

namespace sidecore::gates {

void SubmitTimes::add(const SubmitTime& time) {
  wall.push_back(time.wall);
  if (time.gpu.has_value()) gpu.push_back(*time.gpu);
}

SubmitTime timed_submit(qpu::Device& device, qpu::CommandList& list) {
  const Clock::time_point start = Clock::now();
  qpu::Ticket ticket = device.submit(list);
  ticket.wait();
  const Nanoseconds wall = Clock::now() - start;
  SubmitTime time{static_cast<double>(wall.count()), std::nullopt};
  if (const std::optional<Nanoseconds> gpu = ticket.gpu_time()) {
    time.gpu = static_cast<double>(gpu->count());
  }
  return time;
}

}  // namespace sidecore::gates
