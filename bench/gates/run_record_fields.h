// JSON members that all result documents share: command, build, environment (for base/json.h).
#pragma once

#include "gates/driver_warnings.h"
#include "gates/environment.h"

namespace sidecore::gates {

void fields(auto& json, CpuState& state) {
  json("cpu", state.cpu, {.minimum = 0});
  json("governor", state.governor);
  json("mhz", state.mhz);
  json("maximum_mhz", state.maximum_mhz);
}

void fields(auto& json, Temperature& temperature) {
  json("zone", temperature.zone);
  json("celsius", temperature.celsius);
}

void fields(auto& json, EnvironmentRecord& record) {
  json.record("environment",
              "The board's state at one moment. Null or empty: the system does not report it.");
  json("time", record.time,
       {.text = "Time at which this state was recorded, in UTC.",
        .pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"});
  json("board", record.board);
  json("cpu_model", record.cpu_model);
  json("machine", record.machine);
  json("kernel", record.kernel);
  json(
      "kernel_build", record.kernel_build,
      {.text = "Build of the Linux kernel, with its day on Raspberry Pi OS.", .added_later = true});
  json("os", record.os);
  json.derived("cpu_count", record.cpus.size());
  json("cpus", record.cpus);
  json("temperatures", record.temperatures);
  json("throttle_flags", record.throttle.firmware_flags,
       {"get_throttled of the Raspberry Pi's firmware: bits 0 to 3 are the present state, bits 16 "
        "to 19 say what has happened since boot."});
  json("core_throttle_events", record.throttle.core_events,
       {"x86: sum of core_throttle_count over all CPUs."});
  json("load_average", record.load_average);
}

void fields(auto& json, BuildRecord& build) {
  json("type", build.type);
  json("compiler", build.compiler);
  json("neon", build.neon, {"Instruction set that the NEON source was compiled to."});
  json("neon_is_native", build.neon_is_native);
}

void fields(auto& json, DriverWarning& warning) {
  json.record("driver_warning");
  json("affects", warning.affects,
       {.text = "What cannot be trusted: gpu_counters (gpu_counters of M2), gpu_time (all times of "
                "the QPU), gpu_timestamps (gpu_timestamps of M2), energy, or run (the run may end "
                "in a GPU reset).",
        .one_of = {"gpu_counters", "gpu_time", "gpu_timestamps", "energy", "run"}});
  json("text", warning.text);
}

/// Lists the members "build" and "environment". Each document lists "command_line" itself.
void build_and_environment_fields(auto& json, RunRecord& run) {
  json("build", run.build);
  json.object("environment", [&](auto& environment) {
    environment("before", run.before);
    environment("after", run.after);
    environment("throttled", run.throttled,
                {"Causes of throttling during the run; empty if none was reported."});
    environment.derived(
        "driver_warnings", driver_warnings(run.before),
        {.text = "Faults that the GPU driver of this Linux kernel has or may have, on a Raspberry "
                 "Pi, and the figures that cannot be trusted.",
         .added_later = true});
  });
}

}  // namespace sidecore::gates
