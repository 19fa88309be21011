#include "model/modelled_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text_table.h"
#include "gates/subject.h"
#include "gates/workload_source.h"
#include "model/board_model.h"
#include "model/stream_model.h"
#include "qpu/command_list.h"
#include "shaderdb/measure.h"

namespace sidecore::model {
namespace {

/// Returns an assumption of the model that has a single value.
double assumed_value(const ModelledIntervals& assumed, const std::string& name) {
  return assumed.at(name).high;
}

double middle(double low, double high) {
  return (low + high) / 2;
}

ModelledRun model_run(const gates::Workload& workload, const std::string& variant,
                      qpu::Device& device, const shaderdb::SimulatorRecords& records,
                      ModelledIntervals& assumed) {
  const std::shared_ptr<qpu::Buffer> memory = device.create_buffer(workload.bytes());
  workload.reset(memory->bytes());
  const auto list = workload.record(device, *memory, variant);
  (void)records.take();
  device.submit(*list).wait();
  const std::vector<shaderdb::JobRecord> jobs = records.take();
  const std::vector<double> sizes(
      list->dispatch_count());  // numbers of edges per dispatch, which are not used here
  const ModelledPicture picture = modelled_picture(0, jobs, sizes);
  if (assumed.empty()) assumed = jobs.front().assumed;
  const double submission = assumed_value(assumed, "submission_seconds");
  const ModelledInterval work =
      picture.seconds(assumed_value(assumed, "dispatch_overhead_seconds"));
  const ModelledInterval& moving = picture.bounds.at("memory");
  return {variant,
          sizes.size(),
          {work.low + submission, work.high + submission},
          middle(moving.low, moving.high) * assumed_value(assumed, "memory_bytes_per_second"),
          {}};
}

/// Returns the cycles of all units on one core; none if the model lacks one of the kernels.
std::optional<Cycles> cycles_of(const gates::Workload& workload, Core core) {
  // The memory is aligned for samples and coefficients of any depth.
  std::vector<std::max_align_t> memory(workload.bytes() / sizeof(std::max_align_t) + 1);
  const auto bytes = std::as_writable_bytes(std::span(memory)).first(workload.bytes());
  workload.reset(bytes);
  const std::vector<gates::CpuCalls> calls = workload.cpu_calls(bytes);
  if (calls.empty()) return std::nullopt;
  Cycles sum;
  for (const gates::CpuCalls& call : calls) {
    const auto cycles =
        kernel_cycles(core, call.kernel, call.input, call.bits, Implementation::neon);
    if (!cycles) return std::nullopt;
    sum = sum + *cycles * call.times;
  }
  return sum;
}

ModelledRate side_of(const ModelledNeon& neon, double clock_hz) {
  const auto& [low, expected, high] = neon.cycles;
  return {{clock_hz / high, clock_hz / expected, clock_hz / low}, neon.bytes};
}

ModelledRate side_of(const ModelledRun& run, double units) {
  const auto& [low, high] = run.seconds;
  const double bytes = run.bytes / units;
  return {{units / high, units / middle(low, high), units / low}, {bytes, bytes, bytes}};
}

std::optional<ModelledNeon> model_neon(const gates::Workload& workload, const Board& board) {
  const std::optional<Cycles> cycles = cycles_of(workload, board.core);
  if (!cycles) return std::nullopt;
  const auto units = static_cast<double>(workload.units());
  ModelledNeon neon;
  neon.cycles = {cycles->low / units, cycles->expected / units, cycles->high / units};
  const auto block = static_cast<double>(workload.bytes());
  if (block > last_cache_bytes(board.core)) {
    neon.bytes = {block / units, 1.5 * block / units, 2 * block / units};
  }
  const ModelledRate side = side_of(neon, board.clock_hz);
  neon.one_core = rate_on(board, 1, side);
  neon.all_cores = rate_on(board, board.cores, side);
  return neon;
}

ModelledContent model_content(const gates::KernelUnderTest& subject,
                              const gates::GateOptions& options, gates::Content content,
                              const Board& board, const shaderdb::SimulatorRecords& records,
                              ModelledIntervals& assumed) {
  gates::WorkloadSource source(*subject.kernel, options, content);
  const std::unique_ptr<gates::Workload> workload = source.next();
  if (workload == nullptr) throw usage_error("'{}' has no pictures to work on", options.input);
  ModelledContent result{
      content, source.origin(), workload->units(), model_neon(*workload, board), {}};
  for (const std::string& variant : subject.runnable()) {
    result.runs.push_back(model_run(*workload, variant, **subject.device, records, assumed));
    if (!result.neon) continue;
    ModelledRun& run = result.runs.back();
    run.gain = gain_of_qpu(board, side_of(*result.neon, board.clock_hz),
                           side_of(run, static_cast<double>(result.units)));
  }
  return result;
}

/// Returns the interval times `scale` as text: "0.410 .. 0.770".
std::string interval_text(const ModelledInterval& seconds, double scale) {
  return fmt::format("{:.3f} .. {:.3f}", seconds.low * scale, seconds.high * scale);
}

std::string throughput_table(const ModelledGates& gates) {
  TextTable table(
      {"content", "variant", gates.unit + "s", "dispatches", "submit to fence, ms (modelled)",
       fmt::format("million {}s/s (modelled)", gates.unit)},
      2);
  for (const ModelledContent& content : gates.contents) {
    for (const ModelledRun& run : content.runs) {
      const auto units = static_cast<double>(content.units);
      const ModelledInterval rate{units / run.seconds.high, units / run.seconds.low};
      table.add({gates::to_string(content.content), run.variant, std::to_string(content.units),
                 std::to_string(run.dispatches), interval_text(run.seconds, 1e3),
                 interval_text(rate, 1e-6)});
    }
  }
  return table.text();
}

std::string estimate_text(const Estimate& rates, double scale) {
  return fmt::format("{:.2f} .. {:.2f} .. {:.2f}", rates.low * scale, rates.expected * scale,
                     rates.high * scale);
}

/// Returns the table of M3. Contents without modelled cycles are left out.
std::string neon_table(const ModelledGates& gates) {
  TextTable table({"content", fmt::format("cycles per {}", gates.unit),
                   fmt::format("million {}s/s, 1 core (modelled)", gates.unit),
                   fmt::format("{} cores (modelled)", gates.cores)},
                  1);
  for (const ModelledContent& content : gates.contents) {
    if (!content.neon) continue;
    table.add({gates::to_string(content.content), estimate_text(content.neon->cycles, 1),
               estimate_text(content.neon->one_core, 1e-6),
               estimate_text(content.neon->all_cores, 1e-6)});
  }
  return table.text();
}

std::string gain_table(const ModelledGates& gates) {
  TextTable table({"content", "variant", "gain, % (modelled)", "sign (modelled)"}, 2);
  for (const ModelledContent& content : gates.contents) {
    for (const ModelledRun& run : content.runs) {
      if (!run.gain) continue;
      const auto& [low, expected, high] = *run.gain;
      table.add(
          {gates::to_string(content.content), run.variant,
           fmt::format("{:+.0f} .. {:+.0f} .. {:+.0f}", 100 * low, 100 * expected, 100 * high),
           sign_of(*run.gain)});
    }
  }
  return table.text();
}

std::string cpu_text(const ModelledGates& gates) {
  const bool known = std::ranges::any_of(
      gates.contents, [](const ModelledContent& content) { return content.neon.has_value(); });
  if (!known) {
    return fmt::format(
        "\nM3 and M4: no figures, because the model has no cycles for {} on the CPU.\n",
        gates.kernel);
  }
  return fmt::format(
      "\nM3, modelled: how fast is NEON? (low .. expected .. high)\n"
      "  Cycles with all data in the first cache. The interval is {:.2f} to {:.2f} times the "
      "result "
      "of the core's model (docs/armsim.md).\n  A picture that is larger than the last cache moves "
      "each of its bytes once or twice.\n{}"
      "\nM4, modelled: does it pay? NEON x{} plus the QPU against NEON x{}; all share the "
      "memory\n{}"
      "  Of the four published gains the model gets the signs right, and the values wrong by 3 to "
      "15 "
      "percentage points.\n",
      kLowFactor, kHighFactor, neon_table(gates), gates.cores - 1, gates.cores, gain_table(gates));
}

}  // namespace

const char* sign_of(const Estimate& gain) {
  if (gain.low > 0) return "gain";
  return gain.high < 0 ? "loss" : "open";
}

Estimate rate_on(const Board& board, int cores, const ModelledRate& neon) {
  const auto rate = [&](double units, double bytes) {
    return estimate_shared_rates(board, cores, {bytes, units}, {0, 0}).cpu;
  };
  const auto& [units, bytes] = neon;
  return {rate(units.low, bytes.high), rate(units.expected, bytes.expected),
          rate(units.high, bytes.low)};
}

Estimate gain_of_qpu(const Board& board, const ModelledRate& neon, const ModelledRate& qpu) {
  const auto ends = [](const Estimate& of) { return std::array{of.low, of.high}; };
  const double expected =
      gain_of_qpu(board, MemoryLoad{neon.bytes_per_unit.expected, neon.units_per_second.expected},
                  MemoryLoad{qpu.bytes_per_unit.expected, qpu.units_per_second.expected});
  Estimate gain{expected, expected, expected};
  for (const double neon_bytes : ends(neon.bytes_per_unit)) {
    for (const double neon_rate : ends(neon.units_per_second)) {
      for (const double qpu_bytes : ends(qpu.bytes_per_unit)) {
        for (const double qpu_rate : ends(qpu.units_per_second)) {
          const double corner = gain_of_qpu(board, MemoryLoad{neon_bytes, neon_rate},
                                            MemoryLoad{qpu_bytes, qpu_rate});
          gain.low = std::min(gain.low, corner);
          gain.high = std::max(gain.high, corner);
        }
      }
    }
  }
  return gain;
}

ModelledInterval ModelledGates::empty_submission(std::size_t dispatches) const {
  const double submission = assumed_value(assumed, "submission_seconds");
  const double dispatch = assumed_value(assumed, "dispatch_overhead_seconds");
  return {submission + dispatch, submission + static_cast<double>(dispatches) * dispatch};
}

ModelledGates model_gates(const gates::Kernel& kernel, const gates::GateOptions& options,
                          std::string_view board, qpu::Device& device,
                          const shaderdb::SimulatorRecords& records) {
  const std::string v3d = shaderdb::v3d_version(device.info());
  const Board& modelled = board == "pi4" ? pi4() : pi5();
  if (v3d != v3d_of(modelled)) {
    throw environment_error("the simulated GPU is a V3D {}, but a {} has a V3D {}", v3d, board,
                            v3d_of(modelled));
  }
  const gates::KernelUnderTest subject =
      gates::make_kernel_under_test(kernel, nullptr, {&device}, options.variants);
  if (const std::string reason = subject.refusal_of_qpu(); !reason.empty()) {
    throw environment_error("{}: {}", kernel.name, reason);
  }
  ModelledGates result{
      std::string(board),       modelled.cores,           v3d, device.info().driver,
      std::string(kernel.name), std::string(kernel.unit), {},  {}};
  for (const gates::Content content : contents_of(options)) {
    result.contents.push_back(
        model_content(subject, options, content, modelled, records, result.assumed));
  }
  return result;
}

std::string to_text(const ModelledGates& gates) {
  const auto assumed = [&](const char* name) { return assumed_value(gates.assumed, name); };
  const ModelledInterval& error = gates.assumed.at("error_factor");
  std::string text = fmt::format(
      "{} on a {}, modelled: nothing here was measured\n"
      "  The GPU is a V3D {} at {:.0f} MHz with {:.1f} GB/s; {} compiled its code.\n"
      "  Its intervals are {:.1f} to {:.1f} times a schedule that is fitted to published figures "
      "of "
      "three boards\n"
      "  (docs/v3dsim-timing.md).\n\n",
      gates.kernel, gates.board, gates.v3d, assumed("clock_hz") / 1e6,
      assumed("memory_bytes_per_second") / 1e9, gates.driver, error.low, error.high);
  text += "M2, modelled: how fast is the QPU alone?\n" + throughput_table(gates) + cpu_text(gates);
  constexpr std::size_t kMany = 64;
  text += fmt::format(
      "\nM5, modelled: what does a dispatch cost?\n"
      "  A submission of one empty dispatch takes {:.1f} us; one of {} takes {:.1f} .. {:.1f} us.\n"
      "  Published, for one Raspberry Pi 5, are only the times of an empty submission and of its "
      "first "
      "dispatch.\n",
      gates.empty_submission(1).high * 1e6, kMany, gates.empty_submission(kMany).low * 1e6,
      gates.empty_submission(kMany).high * 1e6);
  text +=
      "\nNo verdict follows from a model. M1 needs no model: run it without --model under "
      "scripts/v3dsim.\n";
  return text;
}

}  // namespace sidecore::model
