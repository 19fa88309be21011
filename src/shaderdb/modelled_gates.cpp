#include "shaderdb/modelled_gates.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "base/text_table.h"
#include "gates/subject.h"
#include "gates/workload_source.h"
#include "qpu/command_list.h"
#include "shaderdb/measure.h"
#include "shaderdb/stream_model.h"

namespace sidecore::shaderdb {
namespace {

/// An assumption of which the model knows one value.
double assumed_value(const split::ModelledIntervals& assumed, const std::string& name) {
  return assumed.at(name).high;
}

ModelledRun model_run(const gates::Workload& workload, const std::string& variant,
                      qpu::Device& device, const SimulatorRecords& records,
                      split::ModelledIntervals& assumed) {
  const std::shared_ptr<qpu::Buffer> memory = device.create_buffer(workload.bytes());
  workload.reset(memory->bytes());
  const auto list = workload.record(device, *memory, variant);
  (void)records.take();
  device.submit(*list).wait();
  const std::vector<JobRecord> jobs = records.take();
  const std::vector<double> sizes(list->dispatch_count());  // of its dispatches; nobody asks here
  const split::ModelledPicture picture = modelled_picture(0, jobs, sizes);
  if (assumed.empty()) assumed = jobs.front().assumed;
  const double submission = assumed_value(assumed, "submission_seconds");
  const split::ModelledInterval work =
      picture.seconds(assumed_value(assumed, "dispatch_overhead_seconds"));
  return {variant, sizes.size(), {work.low + submission, work.high + submission}};
}

ModelledContent model_content(const gates::Subject& subject, const gates::GateOptions& options,
                              gates::Content content, const SimulatorRecords& records,
                              split::ModelledIntervals& assumed) {
  gates::WorkloadSource source(*subject.kernel, options, content);
  const std::unique_ptr<gates::Workload> workload = source.next();
  if (workload == nullptr) throw usage_error("'{}' has no pictures", options.input);
  ModelledContent result{content, source.origin(), workload->units(), {}};
  for (const std::string& variant : subject.runnable()) {
    result.runs.push_back(model_run(*workload, variant, *subject.device, records, assumed));
  }
  return result;
}

/// "0.41 .. 0.77", of seconds times `scale`.
std::string interval_text(const split::ModelledInterval& seconds, double scale) {
  return fmt::format("{:.3f} .. {:.3f}", seconds.low * scale, seconds.high * scale);
}

std::string throughput_table(const ModelledGates& gates) {
  TextTable table(
      {"content", "variant", gates.unit + "s", "dispatches", "submit to fence, ms (modelled)",
       fmt::format("million {}s a second (modelled)", gates.unit)},
      2);
  for (const ModelledContent& content : gates.contents) {
    for (const ModelledRun& run : content.runs) {
      const auto units = static_cast<double>(content.units);
      const split::ModelledInterval rate{units / run.seconds.high, units / run.seconds.low};
      table.add({gates::to_string(content.content), run.variant, std::to_string(content.units),
                 std::to_string(run.dispatches), interval_text(run.seconds, 1e3),
                 interval_text(rate, 1e-6)});
    }
  }
  return table.text();
}

}  // namespace

split::ModelledInterval ModelledGates::empty_submission(std::size_t dispatches) const {
  const double submission = assumed_value(assumed, "submission_seconds");
  const double dispatch = assumed_value(assumed, "dispatch_overhead_seconds");
  return {submission + dispatch, submission + static_cast<double>(dispatches) * dispatch};
}

std::string_view v3d_of_board(std::string_view board) {
  return board == "pi4" ? "4.2" : "7.1";
}

ModelledGates model_gates(const gates::Kernel& kernel, const gates::GateOptions& options,
                          std::string_view board, qpu::Device& device,
                          const SimulatorRecords& records) {
  const std::string v3d = v3d_version(device.info());
  if (v3d != v3d_of_board(board)) {
    throw environment_error("the simulated GPU is a V3D {}, and that of a {} is a V3D {}", v3d,
                            board, v3d_of_board(board));
  }
  const gates::Subject subject =
      gates::make_subject(kernel, nullptr, &device, "", options.variants);
  if (const std::string reason = subject.not_run(); !reason.empty()) {
    throw environment_error("{}: {}", kernel.name, reason);
  }
  ModelledGates result{std::string(board),
                       v3d,
                       device.info().driver,
                       std::string(kernel.name),
                       std::string(kernel.unit),
                       {},
                       {}};
  for (const gates::Content content : contents_of(options)) {
    result.contents.push_back(model_content(subject, options, content, records, result.assumed));
  }
  return result;
}

std::string to_text(const ModelledGates& gates) {
  const auto assumed = [&](const char* name) { return assumed_value(gates.assumed, name); };
  const split::ModelledInterval& error = gates.assumed.at("error_factor");
  std::string text = fmt::format(
      "{} on a {}, modelled: nothing here was measured\n"
      "  The GPU is a V3D {} at {:.0f} MHz with {:.1f} GB/s, its code {}'s.\n"
      "  The intervals are {:.1f} to {:.1f} times a schedule that is fitted to published figures "
      "of "
      "three boards\n"
      "  (docs/v3dsim.md).\n\n",
      gates.kernel, gates.board, gates.v3d, assumed("clock_hz") / 1e6,
      assumed("memory_bytes_per_second") / 1e9, gates.driver, error.low, error.high);
  text += "M2, modelled: how fast is the QPU alone?\n" + throughput_table(gates);
  constexpr std::size_t kMany = 64;
  text += fmt::format(
      "\nM5, modelled: what does a dispatch cost?\n"
      "  A submission of one empty dispatch {:.1f} us, of {} {:.1f} .. {:.1f} us: published are, "
      "for "
      "one Raspberry Pi 5, an empty submission\n"
      "  and the first dispatch, and of the others nothing.\n",
      gates.empty_submission(1).high * 1e6, kMany, gates.empty_submission(kMany).low * 1e6,
      gates.empty_submission(kMany).high * 1e6);
  text +=
      "\nM3 and M4: no CPU model, and so no verdict. M1 needs no model: leave --model away under "
      "scripts/v3dsim.\n";
  return text;
}

}  // namespace sidecore::shaderdb
