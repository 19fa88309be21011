#include "model/costs.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "model/tables.h"

namespace sidecore::model {
namespace {

constexpr std::array<const char*, kCores> kCoreNames = {"cortex-a72", "cortex-a76"};

/// Returns the interval of a kernel's cycles between those on an idle core (`alone`) and those when
/// the kernel follows itself (`repeated`).
Cycles interval(double alone, double repeated) {
  return {kLowFactor * std::min(alone, repeated), (repeated + alone) / 2,
          kHighFactor * std::max(alone, repeated)};
}

using Key = std::tuple<std::string, std::string, int, Implementation>;
using KernelTable = std::map<Key, std::array<Cycles, kCores>, std::less<>>;

KernelTable read_kernels() {
  KernelTable table;
  const auto document = nlohmann::json::parse(kernel_table());
  for (const auto& row : document.at("kernels")) {
    std::array<Cycles, kCores> cycles;
    for (std::size_t core = 0; core < kCores; ++core) {
      const auto& pair = row.at(kCoreNames[core]);
      cycles[core] = interval(pair.at(0).get<double>(), pair.at(1).get<double>());
    }
    const bool scalar = row.at("implementation").get<std::string>() == "scalar";
    table.emplace(
        Key{row.at("kernel").get<std::string>(), row.at("input").get<std::string>(),
            row.at("bits").get<int>(), scalar ? Implementation::scalar : Implementation::neon},
        cycles);
  }
  return table;
}

std::array<StreamCosts, kCores> read_streams() {
  std::array<StreamCosts, kCores> all;
  const auto document = nlohmann::json::parse(stream_table());
  for (std::size_t core = 0; core < kCores; ++core) {
    const auto& fitted = document.at(kCoreNames[core]);
    const auto cycles = [&](const char* name, double high = kHighFactor) {
      const double value = fitted.at(name).get<double>();
      return Cycles{kLowFactor * value, value, high * value};
    };
    all[core] = {.parsing_bit = cycles("parsing_bit"),
                 .parsing_call = cycles("parsing_call"),
                 .edge_derivation = cycles("edge_derivation"),
                 .prediction_call = cycles("prediction_call"),
                 .transform_call = cycles("transform_call"),
                 .filter_edge = cycles("filter_edge"),
                 .other_block = cycles("other_block"),
                 .memory_block = cycles("memory_block", kMemoryHighFactor)};
  }
  return all;
}

}  // namespace

const Board& pi4() {
  // The memory rate is the bytes read and written per second by tinymembench's copy on one core.
  static constexpr Board kBoard{.name = "pi4",
                                .core = Core::cortex_a72,
                                .cores = 4,
                                .clock_hz = 1.8e9,
                                .memory_bytes_per_second = 5.6e9};
  return kBoard;
}

const Board& pi5() {
  // The memory rate is the one that fits the published figure of prediction beside CDEF.
  static constexpr Board kBoard{.name = "pi5",
                                .core = Core::cortex_a76,
                                .cores = 4,
                                .clock_hz = 2.4e9,
                                .memory_bytes_per_second = 8.9e9};
  return kBoard;
}

std::optional<Cycles> kernel_cycles(Core core, std::string_view kernel, std::string_view input,
                                    int bits, Implementation implementation) {
  static const KernelTable kTable = read_kernels();
  const auto found = kTable.find(
      Key{std::string(kernel), std::string(input), bits == 12 ? 10 : bits, implementation});
  if (found == kTable.end()) return std::nullopt;
  return found->second[static_cast<std::size_t>(core)];
}

const StreamCosts& stream_costs(Core core) {
  static const std::array<StreamCosts, kCores> kCosts = read_streams();
  return kCosts[static_cast<std::size_t>(core)];
}

double last_cache_bytes(Core core) {
  return core == Core::cortex_a72 ? 1 << 20 : 2 << 20;
}

Cycles memory_cycles(Core core, int width, int height, int bits) {
  constexpr double kFrames = 4;
  const double sample_bytes = bits == 8 ? 1 : 2;
  const double frame = 1.5 * sample_bytes * width * height;
  if (kFrames * frame <= last_cache_bytes(core)) return {};
  const int blocks = ((width + 7) / 8) * ((height + 7) / 8);
  return stream_costs(core).memory_block * (blocks * sample_bytes);
}

const UncachedRates& uncached_rates(Core core) {
  static constexpr UncachedRates kPi4{.read = {0.26e9, 0.385e9, 0.57e9},
                                      .write = {0.26e9, 1.90e9, 0}};
  static constexpr UncachedRates kPi5{.read = {0.26e9, 0.513e9, 1.61e9},
                                      .write = {0.26e9, 1.61e9, 0}};
  return core == Core::cortex_a72 ? kPi4 : kPi5;
}

SharedRates estimate_shared_rates(const Board& board, int cpu_threads, const MemoryLoad& cpu,
                                  const MemoryLoad& qpu) {
  const double cpu_rate = cpu_threads * cpu.units_per_second;
  const double demand = cpu_rate * cpu.bytes_per_unit + qpu.units_per_second * qpu.bytes_per_unit;
  const double left =
      demand > board.memory_bytes_per_second ? board.memory_bytes_per_second / demand : 1.0;
  return {cpu_rate * left, qpu.units_per_second * left};
}

double gain_of_qpu(const Board& board, const MemoryLoad& cpu, const MemoryLoad& qpu) {
  const SharedRates both = estimate_shared_rates(board, board.cores - 1, cpu, qpu);
  return (both.cpu + both.qpu) / estimate_shared_rates(board, board.cores, cpu, {0, 0}).cpu - 1;
}

}  // namespace sidecore::model
