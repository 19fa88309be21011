#include "shaderdb/simulator_records.h"

#include <dlfcn.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace sidecore::shaderdb {
namespace {

using Json = nlohmann::json;

// Names of the figures in shaderdb, each with the driver's name for it.
constexpr std::array<std::pair<const char*, const char*>, 9> kCompiled = {{
    {"instructions", "inst"},
    {"threads", "threads"},
    {"loops", "loops"},
    {"uniforms", "uniforms"},
    {"max_temps", "max_temps"},
    {"spills", "spills"},
    {"fills", "fills"},
    {"sfu_stalls", "sfu_stalls"},
    {"nops", "nops"},
}};

/// Returns the sum of a JSON list of numbers.
std::uint64_t sum_of(const Json& counts) {
  std::uint64_t sum = 0;
  for (const Json& count : counts) sum += count.get<std::uint64_t>();
  return sum;
}

/// Returns the sum of touched lines. Element n of `requests_by_lines` counts the requests that
/// touch n lines.
std::uint64_t lines_of(const Json& requests_by_lines) {
  std::uint64_t lines = 0;
  for (std::size_t count = 0; count < requests_by_lines.size(); ++count) {
    lines += count * requests_by_lines[count].get<std::uint64_t>();
  }
  return lines;
}

ModelledIntervals parse_intervals(const Json& json) {
  ModelledIntervals intervals;
  for (const auto& [name, ends] : json.items()) intervals[name] = {ends.at(0), ends.at(1)};
  return intervals;
}

JobRecord parse_record(const Json& json) {
  JobRecord record;
  const Json& shader = json.at("shader");
  for (const auto& [name, key] : kCompiled) record.compiled[name] = shader.at(key);
  const Json& tmu = json.at("tmu");
  const Json& requests = tmu.at("requests");
  record.executed = {{"instructions", json.at("instructions")},
                     {"loads", sum_of(requests.at("load"))},
                     {"stores", sum_of(requests.at("store"))},
                     {"atomics", sum_of(requests.at("atomic"))},
                     {"bytes", tmu.at("bytes")},
                     {"request_lines", lines_of(tmu.at("lines_per_request"))},
                     {"unique_lines", tmu.at("unique_lines")},
                     {"divergent_branches", json.at("branches_divergent")}};
  if (json.contains("bounds")) {
    record.modelled = parse_intervals(json.at("bounds"));
    const Json& two = json.at("two_supergroups");
    record.two_supergroups = {two.at(0), two.at(1)};
    record.assumed = parse_intervals(json.at("assumed"));
  }
  return record;
}

}  // namespace

std::vector<JobRecord> parse_records(const char* json) {
  try {
    std::vector<JobRecord> records;
    for (const Json& record : Json::parse(json)) {
      if (!record.contains("shader")) {
        throw environment_error(
            "the simulator ran a program whose figures the driver did not report");
      }
      records.push_back(parse_record(record));
    }
    return records;
  } catch (const Json::exception& error) {
    throw environment_error("the simulator's records cannot be read: {}", error.what());
  }
}

std::optional<SimulatorRecords> SimulatorRecords::find() {
  void* const function = dlsym(RTLD_DEFAULT, v3dsim::kTakeRecordsName);
  if (function == nullptr) return std::nullopt;
  const SimulatorRecords records(reinterpret_cast<v3dsim::TakeRecords>(function));
  (void)records.function_();
  return records;
}

std::vector<JobRecord> SimulatorRecords::take() const {
  return parse_records(function_());
}

}  // namespace sidecore::shaderdb
