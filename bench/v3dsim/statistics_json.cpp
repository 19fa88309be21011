#include <nlohmann/json.hpp>

#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {
namespace {

using Json = nlohmann::ordered_json;

Json tmu_json(const TmuStatistics& tmu) {
  static constexpr const char* kKinds[kTmuKinds] = {"load", "store", "atomic"};
  static constexpr const char* kTypes[kTmuTypes] = {"i8",   "i16", "vec2", "vec3",
                                                    "vec4", "u8",  "u16",  "word"};
  Json requests = Json::object();
  for (std::size_t kind = 0; kind < kTmuKinds; ++kind) {
    Json row = Json::object();
    for (std::size_t type = 0; type < kTmuTypes; ++type) {
      if (tmu.requests[kind][type] != 0) row[kTypes[type]] = tmu.requests[kind][type];
    }
    requests[kKinds[kind]] = std::move(row);
  }
  return {{"requests", std::move(requests)},
          {"lanes", tmu.lanes},
          {"bytes", tmu.bytes},
          {"words", tmu.words},
          {"lines_per_request", tmu.lines_per_request},
          {"unique_lines", tmu.unique_lines},
          {"retouched_lines", tmu.retouched_lines}};
}

}  // namespace

std::string to_json(const Statistics& s) {
  const Json json = {
      {"schema", "sidecore-v3dsim-statistics-1"},
      {"v3d", version_name(s.version)},
      {"grid", s.grid},
      {"workgroup_size", s.workgroup_size},
      {"workgroups_per_supergroup", s.workgroups_per_supergroup},
      {"supergroups", s.supergroups},
      {"threads", s.threads},
      {"idle_lanes", s.idle_lanes},
      {"threads_per_qpu", s.threads_per_qpu},
      {"program_address", s.program_address},
      {"program_size", s.program_size},
      {"instructions", s.instructions},
      {"instructions_per_thread", s.per_thread(s.instructions)},
      {"add_used", s.add_used},
      {"mul_used", s.mul_used},
      {"both_used", s.both_used},
      {"nops", s.nops},
      {"conditional", s.conditional},
      {"special_functions", s.special_functions},
      {"special_function_stalls_estimate", s.special_function_stalls},
      {"uniforms", s.uniforms},
      {"auxiliary_uniforms", s.auxiliary_uniforms},
      {"branches", s.branches},
      {"branches_taken", s.branches_taken},
      {"branches_divergent", s.branches_divergent},
      {"thread_switches", s.thread_switches},
      {"barriers", s.barriers},
      {"waits", s.waits},
      {"uninitialised_reads", s.uninitialised_reads},
      {"unproven_flags", s.unproven_flags},
      {"tmu", tmu_json(s.tmu)},
  };
  return json.dump(2);
}

}  // namespace sidecore::v3dsim
