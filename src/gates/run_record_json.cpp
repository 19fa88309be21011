#include "gates/run_record_json.h"

#include <utility>

namespace sidecore::gates::json {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered to_json(const EnvironmentRecord& record) {
  Ordered cpus = Ordered::array();
  for (const CpuState& cpu : record.cpus) {
    cpus.push_back({{"cpu", cpu.cpu},
                    {"governor", cpu.governor},
                    {"mhz", or_null(cpu.mhz)},
                    {"maximum_mhz", or_null(cpu.maximum_mhz)}});
  }
  Ordered temperatures = Ordered::array();
  for (const Temperature& temperature : record.temperatures) {
    temperatures.push_back({{"zone", temperature.zone}, {"celsius", temperature.celsius}});
  }
  return {{"time", record.time},
          {"board", record.board},
          {"cpu_model", record.cpu_model},
          {"machine", record.machine},
          {"kernel", record.kernel},
          {"os", record.os},
          {"cpu_count", record.cpus.size()},
          {"cpus", std::move(cpus)},
          {"temperatures", std::move(temperatures)},
          {"throttle_flags", or_null(record.throttle.firmware_flags)},
          {"core_throttle_events", or_null(record.throttle.core_events)},
          {"load_average", or_null(record.load_average)}};
}

CpuState cpu(const Json& json) {
  return {whole<int>(json, "cpu"), text(json, "governor"), optional(json, "mhz", real),
          optional(json, "maximum_mhz", real)};
}

Temperature temperature(const Json& json) {
  return {text(json, "zone"), real(json, "celsius")};
}

std::array<double, 3> load_average(const Json& json, const char* name) {
  const std::vector<double> loads = list(json, name, as_real);
  if (loads.size() != 3) throw malformed("\"load_average\" has not three numbers");
  return {loads[0], loads[1], loads[2]};
}

EnvironmentRecord environment(const Json& json) {
  EnvironmentRecord record;
  record.time = text(json, "time");
  record.board = text(json, "board");
  record.cpu_model = text(json, "cpu_model");
  record.kernel = text(json, "kernel");
  record.os = text(json, "os");
  record.machine = text(json, "machine");
  record.cpus = list(json, "cpus", cpu);
  record.temperatures = list(json, "temperatures", temperature);
  record.throttle.firmware_flags = optional(json, "throttle_flags", whole<std::uint32_t>);
  record.throttle.core_events = optional(json, "core_throttle_events", whole<std::uint64_t>);
  record.load_average = optional(json, "load_average", load_average);
  return record;
}

BuildRecord build(const Json& json) {
  return {text(json, "type"), text(json, "compiler"), text(json, "neon"),
          flag(json, "neon_is_native")};
}

}  // namespace

Ordered build_json(const RunRecord& record) {
  return {{"type", record.build.type},
          {"compiler", record.build.compiler},
          {"neon", record.build.neon},
          {"neon_is_native", record.build.neon_is_native}};
}

Ordered environment_json(const RunRecord& record) {
  return {{"before", to_json(record.before)},
          {"after", to_json(record.after)},
          {"throttled", record.throttled}};
}

RunRecord run_record(const Json& document) {
  const Json& state = member(document, "environment");
  return {list(document, "command_line", as_text), build(member(document, "build")),
          environment(member(state, "before")), environment(member(state, "after")),
          text(state, "throttled")};
}

}  // namespace sidecore::gates::json
