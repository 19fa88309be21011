#include "split/gate_results.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "gates/result_reader.h"

namespace sidecore::split {
namespace {

constexpr std::array<std::array<const char*, 3>, 2> kKernels{
    {{"loop_filter", "loop_filter_h_8", "loop_filter_h_16"},
     {"loop_filter_v_4", "loop_filter_v_8", "loop_filter_v_16"}}};

/// What one kernel's report adds to a mean.
struct Factors {
  std::vector<double> qpu, neon, memory;
};

double mean_or_one(const std::vector<double>& values) {
  if (values.empty()) return 1;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

const gates::WindowResult* find_window(const gates::ContentWindows& content, int neon_threads,
                                       bool qpu) {
  const auto found = std::ranges::find_if(content.windows, [&](const auto& window) {
    return window.plan.work == gates::WindowWork::same &&
           window.plan.neon_threads == neon_threads && window.plan.qpu == qpu;
  });
  return found == content.windows.end() ? nullptr : &*found;
}

/// Pictures a second alone over those beside.
void add_slowdown(std::vector<double>& slowdowns, const gates::SampleSet& alone,
                  const gates::SampleSet& beside) {
  if (alone.median > 0 && beside.median > 0) {
    slowdowns.push_back(std::max(1.0, alone.median / beside.median));
  }
}

/// A real clip's content before the synthetic ones.
const gates::ContentWindows& preferred(const gates::ConcurrencyReport& report) {
  const auto input =
      std::ranges::find(report.contents, gates::Content::input, &gates::ContentWindows::content);
  return input == report.contents.end() ? report.contents.front() : *input;
}

/// The QPU's edges a second; 0 when the report does not say.
double read_m4(const gates::KernelReport& kernel, int threads, Factors& factors) {
  if (!kernel.m4.report || kernel.m4.report->contents.empty()) return 0;
  const gates::ContentWindows& content = preferred(*kernel.m4.report);
  const gates::WindowResult* const qpu = find_window(content, 0, true);
  if (qpu == nullptr) return 0;
  const gates::WindowResult* const neon = find_window(content, threads, false);
  const gates::WindowResult* const both = find_window(content, threads, true);
  if (neon != nullptr && both != nullptr) {
    add_slowdown(factors.qpu, qpu->qpu_passes, both->qpu_passes);
    add_slowdown(factors.neon, neon->neon_passes, both->neon_passes);
  }
  return qpu->rate.median;
}

void read_m3(const gates::KernelReport& kernel, Factors& factors) {
  if (!kernel.m3.report) return;
  for (const gates::CpuContentRuns& content : kernel.m3.report->contents) {
    for (const gates::CpuRun& device : content.runs) {
      if (device.memory != gates::CpuMemory::device) continue;
      const auto heap = std::ranges::find_if(content.runs, [&](const gates::CpuRun& run) {
        return run.memory == gates::CpuMemory::heap && run.twin == device.twin &&
               run.threads == device.threads;
      });
      if (heap == content.runs.end() || heap->elapsed.median <= 0) continue;
      factors.memory.push_back(device.elapsed.median / heap->elapsed.median);
    }
  }
}

void check_board(const gates::GateReport& result, const std::string& name,
                 const gates::EnvironmentRecord& board) {
  if (result.before.board != board.board || result.before.cpu_model != board.cpu_model) {
    throw usage_error("'{}' was measured on {} ({}), and this is {} ({}): run split on that board",
                      name, result.before.board, result.before.cpu_model, board.board,
                      board.cpu_model);
  }
  if (result.device && result.device->simulated) {
    throw usage_error("'{}' was run on the simulator, whose times are no board's", name);
  }
}

void read_kernels(const gates::GateReport& result, GateRates& rates, Factors& factors) {
  for (const gates::KernelReport& kernel : result.kernels) {
    for (std::size_t direction = 0; direction < 2; ++direction) {
      for (std::size_t width = 0; width < 3; ++width) {
        if (kernel.name != kernel_of(direction, width)) continue;
        const double rate = read_m4(kernel, result.options.threads, factors);
        if (rate > 0) rates.qpu_edges[direction][width] = rate;
        read_m3(kernel, factors);
      }
    }
  }
}

void check_complete(const GateRates& rates) {
  const std::string names = fmt::format("'{}'", fmt::join(rates.origins, "', '"));
  for (std::size_t direction = 0; direction < 2; ++direction) {
    for (std::size_t width = 0; width < 3; ++width) {
      if (rates.qpu_edges[direction][width] > 0) continue;
      const char* const kernel = kernel_of(direction, width);
      throw usage_error(
          "{}: there is no M4 of {} with the QPU alone; sidecore gate {} --gates m3,m4,m5 --json "
          "FILE makes one",
          names, kernel, kernel);
    }
  }
  if (rates.submission <= 0) throw usage_error("{}: there is no M5, the cost of a dispatch", names);
}

}  // namespace

const char* kernel_of(std::size_t direction, std::size_t width) {
  return kKernels[direction][width];
}

GateRates gate_rates(std::span<const gates::GateReport> results, std::span<const std::string> names,
                     const gates::EnvironmentRecord& board) {
  GateRates rates;
  Factors factors;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const gates::GateReport& result = results[index];
    check_board(result, names[index], board);
    rates.origins.push_back(names[index]);
    read_kernels(result, rates, factors);
    if (result.device) rates.cpu_device = result.device->is_cpu();
    if (result.m5.report) {
      rates.submission = std::max(1e-9, result.m5.report->line.intercept);
      rates.dispatch = std::max(0.0, result.m5.report->line.slope);
    }
  }
  check_complete(rates);
  rates.qpu_slowdown = mean_or_one(factors.qpu);
  rates.neon_slowdown = mean_or_one(factors.neon);
  rates.device_memory_factor = mean_or_one(factors.memory);
  return rates;
}

GateRates read_gate_rates(std::span<const std::string> files,
                          const gates::EnvironmentRecord& board) {
  std::vector<gates::GateReport> results;
  for (const std::string& file : files) results.push_back(gates::read_result(file));
  return gate_rates(results, files, board);
}

}  // namespace sidecore::split
