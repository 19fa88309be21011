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

/// A gain as a member that may be null.
struct ModelledGain {
  Estimate of;
};

/// An assumption under its name.
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
  estimate_field(json, "cycles_per_unit", neon.cycles, "All data in the core's first cache.");
  estimate_field(json, "bytes_per_unit", neon.bytes, "From and to memory behind the caches.");
  estimate_field(json, "units_per_second_one_core", neon.one_core, "M3.");
  estimate_field(json, "units_per_second_all_cores", neon.all_cores, "M3.");
}

void fields(auto& json, ModelledRun& run) {
  std::optional<ModelledGain> gain;
  if (run.gain) gain = ModelledGain{*run.gain};
  json("variant", run.variant);
  json("dispatches", run.dispatches);
  interval_field(json, "seconds", run.seconds, "M2: submit to fence, a picture.");
  json("bytes", run.bytes,
       {.text = "Of a picture, from and to memory behind the QPU's cache.", .minimum = 0});
  json("gain", gain,
       {"M4: NEON on all cores but one and the QPU over NEON on all cores, less 1. Null: nothing "
        "is known of NEON."});
  if (gain) run.gain = gain->of;
}

void fields(auto& json, ModelledContent& content) {
  json("content", content.content);
  json("origin", content.origin, {"The workload: a seed, or a picture of a clip."});
  json("units", content.units, {.text = "A picture's.", .minimum = 1});
  json("neon", content.neon, {"Null: no cycles are modelled of what the units do."});
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
  json("v3d", gates.v3d, {"Version of the GPU that was simulated."});
  json("driver", gates.driver, {"Whose compiler made the code that was counted."});
  json("assumed", assumed, {"What the QPU's model takes for granted of the machine."});
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
      "What sidecore gate --model --json writes: what gates M2, M3 and M4 would find on a "
      "Raspberry Pi by timing models of its QPU, its CPU and the memory that they share. A model: "
      "nothing in it was measured, and no verdict follows from it.");
}

}  // namespace sidecore::model
