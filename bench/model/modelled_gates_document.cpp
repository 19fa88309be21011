#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/modelled_gates.h"

namespace sidecore::model {
namespace {

constexpr json::DocumentKind kModelledGates{"sidecore-gate-model", 1,
                                            "result of sidecore gate --model"};
constexpr const char* kReportBasis = "model, not measured";

void estimate_field(auto& json, const char* name, Estimate& estimate, const char* text) {
  json.object(name,
              [&](auto& ends) {
                ends("low", estimate.low);
                ends("expected", estimate.expected);
                ends("high", estimate.high);
              },
              {text});
}

void interval_field(auto& json, const char* name, ModelledInterval& interval, const char* text) {
  json.object(name,
              [&](auto& ends) {
                ends("low", interval.low, {.minimum = 0});
                ends("high", interval.high, {.minimum = 0});
              },
              {text});
}

}  // namespace

/// Record of a gain, which may be null in the document.
struct ModelledGain {
  Estimate of;
};

/// An assumption of the model and its name.
struct AssumedValue {
  std::string name;
  ModelledInterval value;
};

void fields(auto& json, ModelledGain& gain) {
  json.record("gain");
  json("low", gain.of.low);
  json("expected", gain.of.expected);
  json("high", gain.of.high);
  json.derived("sign", std::string(sign_of(gain.of)), {.one_of = {"gain", "loss", "open"}});
}

void fields(auto& json, ModelledNeon& neon) {
  json.record("neon");
  estimate_field(json, "cycles_per_unit", neon.cycles,
                 "CPU cycles per unit with all data in the core's first cache.");
  estimate_field(json, "bytes_per_unit", neon.bytes,
                 "Bytes per unit that move between memory and the caches.");
  estimate_field(json, "units_per_second_one_core", neon.one_core, "M3 on one core.");
  estimate_field(json, "units_per_second_all_cores", neon.all_cores, "M3 on all cores.");
}

void fields(auto& json, ModelledRun& run) {
  std::optional<ModelledGain> gain;
  if (run.gain) gain = ModelledGain{*run.gain};
  json("variant", run.variant);
  json("dispatches", run.dispatches);
  interval_field(json, "seconds", run.seconds, "M2: seconds per picture, from submit to fence.");
  json("bytes", run.bytes,
       {.text = "Bytes per picture that move between memory and the QPU's cache.", .minimum = 0});
  json("gain", gain,
       {"M4: rate of NEON on all cores but one plus the QPU, divided by that of NEON on all cores, "
        "minus 1. Null if `neon` is null."});
  if (gain) run.gain = gain->of;
}

void fields(auto& json, ModelledContent& content) {
  json("content", content.content);
  json("origin", content.origin, {"Origin of the workload: a seed, or a picture of a clip."});
  json("units", content.units, {.text = "Number of work units in one picture.", .minimum = 1});
  json("neon", content.neon, {"M3. Null if the model has no cycles for the units."});
  json("runs", content.runs, {.least_items = 1});
}

void fields(auto& json, AssumedValue& assumed) {
  json("name", assumed.name);
  json("low", assumed.value.low);
  json("high", assumed.value.high);
}

void fields(auto& json, ModelledGates& gates) {
  std::vector<AssumedValue> assumed;
  for (const auto& [name, value] : gates.assumed) assumed.push_back({name, value});
  json("name", gates.kernel);
  json("unit", gates.unit);
  json("board", gates.board, {.one_of = {"pi4", "pi5"}});
  json("cores", gates.cores, {.minimum = 1});
  json("v3d", gates.v3d, {"Version of the simulated GPU."});
  json("driver", gates.driver, {"Driver whose compiler made the counted code."});
  json("assumed", assumed, {"Assumptions of the QPU's model about the machine."});
  json("contents", gates.contents, {.least_items = 1});
  for (const AssumedValue& one : assumed) gates.assumed[one.name] = one.value;
}

void fields(auto& json, ModelledReport& report) {
  json.derived("basis", std::string(kReportBasis), {.one_of = {kReportBasis}});
  json("command_line", report.command_line);
  json("kernels", report.kernels);
}

std::string to_json(const ModelledReport& report) {
  return json::write_document(kModelledGates, report, 2);
}

ModelledReport parse_modelled_report(const std::string& text, const std::string& origin) {
  return json::read_document<ModelledReport>(kModelledGates, text, origin);
}

std::string modelled_report_schema() {
  return json::describe_document<ModelledReport>(
      kModelledGates,
      "Document that sidecore gate --model --json writes: gates M2, M3 and M4 on a Raspberry Pi, "
      "computed by timing models of its QPU, its CPU and the memory that they share. No figure was "
      "measured, and no verdict follows from it.");
}

}  // namespace sidecore::model
