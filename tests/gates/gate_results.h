// Results of `sidecore gate` for tests: rates of the QPU and of a CPU.
#pragma once

#include <string>

#include "model/gate_results.h"

namespace sidecore::test {

/// Returns a report with M4 and M5 of the six loop filters on four threads. Every time window has a
/// rate of a million edges per second. The QPU alone is 1.5 times as fast as beside NEON.
inline gates::GateReport gate_report(const std::string& board) {
  gates::GateReport report;
  report.before.board = board;
  report.options.threads = 4;
  gates::DispatchCostReport& m5 = report.m5.value.emplace();
  m5.submissions.push_back({.dispatches = 1, .submit_to_fence = SampleSet({5e5}), .gpu = {}});
  m5.line = {.intercept = 5e5, .slope = 1e4};
  for (std::size_t direction = 0; direction < 2; ++direction) {
    for (std::size_t width = 0; width < 3; ++width) {
      gates::KernelReport kernel;
      kernel.name = model::kernel_of(direction, width);
      gates::ContentWindows windows;
      const auto add = [&](int threads, bool qpu, double neon, double gpu) {
        gates::WindowResult result;
        result.plan = {gates::WindowWork::same, threads, qpu};
        result.neon_passes = SampleSet({neon});
        result.qpu_passes = SampleSet({gpu});
        result.rate = SampleSet({1e6});
        windows.windows.push_back(result);
      };
      add(4, false, 100, 0);
      add(0, true, 0, 30);
      add(4, true, 80, 20);
      kernel.m4.value.emplace().contents.push_back(windows);
      report.kernels.push_back(kernel);
    }
  }
  return report;
}

/// Returns a report with M3 only: one NEON thread filters a million edges per second in the heap,
/// half as many in the device's memory.
inline gates::GateReport m3_report(const std::string& board) {
  gates::GateReport report = gate_report(board);
  report.m5.value.reset();
  report.build.neon_is_native = true;
  for (gates::KernelReport& kernel : report.kernels) {
    kernel.m4.value.reset();
    gates::CpuContentRuns content;
    content.units = 1000;
    const auto add = [&](gates::CpuImplementation implementation, int threads,
                         gates::CpuMemory memory, double elapsed) {
      gates::CpuRun run{implementation, threads, memory, {}, {}};
      run.elapsed = SampleSet({elapsed});
      content.runs.push_back(run);
    };
    add(gates::CpuImplementation::scalar, 1, gates::CpuMemory::heap, 9e6);
    add(gates::CpuImplementation::neon, 4, gates::CpuMemory::heap, 3e5);
    // Scalar code depends less on memory, so readers must not use its rate for NEON.
    add(gates::CpuImplementation::scalar, 1, gates::CpuMemory::device, 9e6);
    add(gates::CpuImplementation::neon, 1, gates::CpuMemory::device, 2e6);
    add(gates::CpuImplementation::neon, 1, gates::CpuMemory::heap, 1e6);
    kernel.m3.value.emplace().contents.push_back(content);
  }
  return report;
}

/// Returns a record in which only the board is set.
inline gates::EnvironmentRecord machine(const std::string& board) {
  gates::EnvironmentRecord record;
  record.board = board;
  return record;
}

}  // namespace sidecore::test
