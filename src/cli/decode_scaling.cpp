#include "cli/decode_scaling.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/statistics.h"
#include "base/text_table.h"

namespace sidecore::cli {
namespace {

/// Returns 1, 2, 3, 4, 6, 8, 12 and so on up to `most`, which is always included.
std::vector<int> choose_thread_counts(int most) {
  std::vector<int> numbers;
  for (int power = 1; power <= most; power *= 2) {
    numbers.push_back(power);
    const int between = power / 2 * 3;
    if (between > power && between <= most) numbers.push_back(between);
  }
  if (numbers.back() != most) numbers.push_back(most);
  return numbers;
}

/// Returns the CPU time of all threads of the process, in seconds.
double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

struct Measured {
  std::vector<double> wall;
  std::vector<double> cpu;
};

/// Decodes the packets once, adds the run's times to `measured`, and returns the number of shown
/// frames.
std::uint64_t decode(std::span<const std::vector<std::uint8_t>> packets,
                     const vp9::DecoderOptions& options, Measured& measured) {
  vp9::Decoder decoder(options);
  const vp9::Decoder::Show drop = [](const auto& /*frame*/) {};
  const double cpu = cpu_seconds();
  const Clock::time_point begin = Clock::now();
  for (const auto& packet : packets) decoder.decode(packet, drop);
  decoder.flush(drop);
  measured.wall.push_back(seconds(Clock::now() - begin));
  measured.cpu.push_back(cpu_seconds() - cpu);
  return decoder.statistics().shown;
}

}  // namespace

std::string scaling_table(video::PacketSource& source, vp9::DecoderOptions options, int runs) {
  const std::vector<std::vector<std::uint8_t>> packets =
      video::read_packets(source, std::numeric_limits<std::size_t>::max());
  const std::vector<int> numbers = choose_thread_counts(options.threads);
  std::vector<Measured> measured(numbers.size());
  std::uint64_t frames = 0;
  for (int run = 0; run < runs; ++run) {
    for (std::size_t index = 0; index < numbers.size(); ++index) {
      options.threads = numbers[index];
      frames = decode(packets, options, measured[index]);
    }
  }
  if (frames == 0) throw usage_error("{}: the stream shows no frame", source.name());
  TextTable table({"threads", "seconds", "frames/s", "times as fast", "CPU seconds"}, 0);
  const double one_thread = SampleSet(measured.front().wall).median;
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    const double wall = SampleSet(measured[index].wall).median;
    const double cpu = SampleSet(measured[index].cpu).median;
    table.add({fmt::format("{}", numbers[index]), fmt::format("{:.3f}", wall),
               fmt::format("{:.1f}", static_cast<double>(frames) / wall),
               fmt::format("{:.2f}", one_thread / wall), fmt::format("{:.3f}", cpu)});
  }
  return table.text();
}

}  // namespace sidecore::cli
