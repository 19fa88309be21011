#include "model/gate_results.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "gates/result_document.h"

namespace sidecore::model {
namespace {

constexpr std::array<std::array<const char*, 3>, 2> kKernels{
    {{"loop_filter_h_4", "loop_filter_h_8", "loop_filter_h_16"},
     {"loop_filter_v_4", "loop_filter_v_8", "loop_filter_v_16"}}};

/// Factors from the reports of several kernels, of which the means are used.
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

/// Adds a slowdown: the rate alone divided by the rate beside the other processor, at least 1.
void add_slowdown(std::vector<double>& slowdowns, const SampleSet& alone, const SampleSet& beside) {
  if (alone.median > 0 && beside.median > 0) {
    slowdowns.push_back(std::max(1.0, alone.median / beside.median));
  }
}

/// Returns the result on the clip if there is one, otherwise the first result. `contents` must not
/// be empty.
template <class Content>
const Content& prefer_clip(const std::vector<Content>& contents) {
  const auto input = std::ranges::find(contents, gates::Content::input, &Content::content);
  return input == contents.end() ? contents.front() : *input;
}

/// Returns `rate` if it is known, otherwise `before`, the rate of earlier results.
double rate_or_earlier(double rate, double before) {
  return rate > 0 ? rate : before;
}

/// Returns the QPU's edges per second, and adds slowdowns; 0 if the report has no such figure.
double read_m4(const gates::KernelReport& kernel, int threads, Factors& factors) {
  if (!kernel.m4 || kernel.m4->contents.empty()) return 0;
  const gates::ContentWindows& content = prefer_clip(kernel.m4->contents);
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
  if (!kernel.m3) return;
  for (const gates::CpuContentRuns& content : kernel.m3->contents) {
    for (const gates::CpuRun& device : content.runs) {
      if (device.implementation != gates::CpuImplementation::neon ||
          device.memory != gates::CpuMemory::device) {
        continue;
      }
      const auto heap = std::ranges::find_if(content.runs, [&](const gates::CpuRun& run) {
        return run.memory == gates::CpuMemory::heap &&
               run.implementation == device.implementation && run.threads == device.threads;
      });
      if (heap == content.runs.end() || heap->elapsed.median <= 0) continue;
      factors.memory.push_back(device.elapsed.median / heap->elapsed.median);
    }
  }
}

bool same_board(const gates::EnvironmentRecord& one, const gates::EnvironmentRecord& other) {
  return one.board == other.board && one.cpu_model == other.cpu_model;
}

/// Throws Error (usage) if the result's figures do not come from a board: it throttled, or the
/// device was simulated.
void reject_void(const gates::GateReport& result, const std::string& name) {
  if (!result.throttled.empty()) {
    throw usage_error("'{}' is void because the board throttled: {}", name, result.throttled);
  }
  if (result.device && result.device->simulated) {
    throw usage_error("'{}' was measured on the simulator, whose times are not those of a board",
                      name);
  }
}

void check_board(const gates::GateReport& result, const std::string& name,
                 const gates::EnvironmentRecord& board) {
  if (!same_board(result.before, board)) {
    throw usage_error("'{}' was measured on {} ({}), and this is {} ({}): run split on that board",
                      name, result.before.board, result.before.cpu_model, board.board,
                      board.cpu_model);
  }
  reject_void(result, name);
}

bool same_device(const qpu::DeviceInfo& one, const qpu::DeviceInfo& other) {
  return one.name == other.name && one.vendor_id == other.vendor_id &&
         one.device_id == other.device_id;
}

/// Takes the device of the first result that names one, and requires the same device of all other
/// results.
void take_device(const gates::GateReport& result, const std::string& name,
                 std::optional<MeasuredDevice>& device) {
  if (!result.device) return;
  if (!device) {
    device = MeasuredDevice{*result.device, name};
  } else if (!same_device(*result.device, device->info)) {
    throw usage_error(
        "'{}' was measured with {}, '{}' with {}: all results must be from one device", name,
        result.device->name, device->origin, device->info.name);
  }
}

/// Calls visit(report, rate) for each of the six loop filters in a result; `rate` is its element of
/// `rates`.
template <class Visit>
void for_each_kind(const gates::GateReport& result, EdgeRates& rates, const Visit& visit) {
  for (const gates::KernelReport& kernel : result.kernels) {
    for (std::size_t direction = 0; direction < 2; ++direction) {
      for (std::size_t width = 0; width < 3; ++width) {
        if (kernel.name == kernel_of(direction, width)) visit(kernel, rates[direction][width]);
      }
    }
  }
}

/// Words for messages about a missing rate: "M4 of KERNEL with the QPU alone".
struct RateName {
  const char* gate;
  const char* with;
  const char* gates;  ///< option --gates that measures the rate
};

/// Throws Error (usage) if one of the six loop filters has no rate; names the first such kernel.
void check_complete(const EdgeRates& rates, const std::vector<std::string>& origins,
                    const RateName& name) {
  for (std::size_t direction = 0; direction < 2; ++direction) {
    for (std::size_t width = 0; width < 3; ++width) {
      if (rates[direction][width] > 0) continue;
      const char* const kernel = kernel_of(direction, width);
      throw usage_error(
          "'{}': there is no {} of {} with {}; measure it with sidecore gate {} --gates {} --json "
          "FILE",
          fmt::join(origins, "', '"), name.gate, kernel, name.with, kernel, name.gates);
    }
  }
}

/// Returns the mean seconds per edge of the six loop filters; 0 if the rate of one is unknown.
double mean_edge_seconds(const EdgeRates& rates) {
  double sum = 0;
  for (const auto& widths : rates) {
    for (const double rate : widths) {
      if (rate <= 0) return 0;
      sum += 1 / rate;
    }
  }
  return sum / 6;
}

/// Returns edges per second of one NEON thread in the heap; 0 if the report has no such figure.
double neon_rate(const gates::KernelReport& kernel) {
  if (!kernel.m3 || kernel.m3->contents.empty()) return 0;
  const gates::CpuContentRuns& content = prefer_clip(kernel.m3->contents);
  const auto run = std::ranges::find_if(content.runs, [](const gates::CpuRun& candidate) {
    return candidate.implementation == gates::CpuImplementation::neon && candidate.threads == 1 &&
           candidate.memory == gates::CpuMemory::heap;
  });
  if (run == content.runs.end() || run->elapsed.median <= 0) return 0;
  return static_cast<double>(content.units) * 1e9 / run->elapsed.median;
}

/// Throws Error (usage) if the result is void, or is from another board than `first`, from a CPU
/// without NEON, or from another V3D than `v3d`.
void check_modelled_board(const gates::GateReport& result, const std::string& name,
                          const gates::EnvironmentRecord& first, const std::string& v3d) {
  reject_void(result, name);
  if (!same_board(result.before, first)) {
    throw usage_error("'{}' was measured on {}, others on {}: all results must be from one board",
                      name, result.before.board, first.board);
  }
  if (!result.build.neon_is_native) {
    throw usage_error(
        "'{}' was measured on {}, whose CPU has no NEON: a model of a Raspberry Pi's QPU needs "
        "results of a Raspberry Pi's CPU",
        name, result.before.board);
  }
  if (result.device && !result.device->is_cpu() && !result.device->name.starts_with("V3D " + v3d)) {
    throw usage_error("'{}' was measured on a board with {}, but the model is of a V3D {}", name,
                      result.device->name, v3d);
  }
}

}  // namespace

const char* kernel_of(std::size_t direction, std::size_t width) {
  return kKernels[direction][width];
}

GateRates gate_rates(std::span<const gates::GateReport> results, std::span<const std::string> names,
                     const gates::EnvironmentRecord& board) {
  GateRates rates;
  Factors factors;
  EdgeRates neon_edges{};
  for (std::size_t index = 0; index < results.size(); ++index) {
    const gates::GateReport& result = results[index];
    check_board(result, names[index], board);
    take_device(result, names[index], rates.device);
    rates.origins.push_back(names[index]);
    EdgeRates& qpu = rates.qpu_edges;
    for_each_kind(result, qpu, [&](const auto& kernel, double& rate) {
      rate = rate_or_earlier(read_m4(kernel, result.options.threads, factors), rate);
      read_m3(kernel, factors);
    });
    for_each_kind(result, neon_edges, [&](const auto& kernel, double& rate) {
      rate = rate_or_earlier(neon_rate(kernel), rate);
    });
    if (result.m5) {
      const Line& nanoseconds = result.m5->line;
      rates.submission = std::max(1.0, nanoseconds.intercept) * 1e-9;
      rates.dispatch = std::max(0.0, nanoseconds.slope) * 1e-9;
    }
  }
  check_complete(rates.qpu_edges, rates.origins, {"M4", "the QPU alone", "m3,m4,m5"});
  if (rates.submission <= 0) {
    throw usage_error(
        "'{}': there is no M5 (cost of a dispatch): measure it with sidecore gate --gates m5",
        fmt::join(rates.origins, "', '"));
  }
  rates.neon_edge = mean_edge_seconds(neon_edges);
  rates.qpu_slowdown = mean_or_one(factors.qpu);
  rates.neon_slowdown = mean_or_one(factors.neon);
  rates.device_memory_factor = mean_or_one(factors.memory);
  return rates;
}

bool GateRates::cpu_device() const {
  return device && device->info.is_cpu();
}

void check_device(const GateRates& rates, const qpu::DeviceInfo& opened) {
  if (!rates.device || same_device(rates.device->info, opened)) return;
  throw usage_error(
      "'{}' was measured with {}, but split would run on {}: select the former with --device",
      rates.device->origin, rates.device->info.name, opened.name);
}

double BoardCpu::neon_edge() const {
  return mean_edge_seconds(neon_edges);
}

BoardCpu board_cpu(std::span<const gates::GateReport> results, std::span<const std::string> names,
                   const gates::EnvironmentRecord& here, const std::string& v3d) {
  BoardCpu cpu;
  Factors factors;
  cpu.board = results.front().before.board;
  cpu.this_machine = same_board(results.front().before, here);
  for (std::size_t index = 0; index < results.size(); ++index) {
    check_modelled_board(results[index], names[index], results.front().before, v3d);
    cpu.origins.push_back(names[index]);
    for_each_kind(results[index], cpu.neon_edges, [&](const auto& kernel, double& rate) {
      rate = rate_or_earlier(neon_rate(kernel), rate);
      read_m3(kernel, factors);
    });
  }
  check_complete(cpu.neon_edges, cpu.origins, {"M3", "one NEON thread", "m3"});
  cpu.device_memory_factor = mean_or_one(factors.memory);
  cpu.knows_device_memory = !factors.memory.empty();
  return cpu;
}

std::vector<gates::GateReport> read_results(std::span<const std::string> files) {
  std::vector<gates::GateReport> results;
  results.reserve(files.size());
  for (const std::string& file : files) results.push_back(gates::read_result(file));
  return results;
}

}  // namespace sidecore::model
