#include "v3dsim/drm/executor_runner.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "v3dsim/memory.h"
#include "v3dsim/model.h"
#include "v3dsim/unproven_points.h"

namespace sidecore::v3dsim {
namespace {

using Json = nlohmann::ordered_json;

// The model declines small dispatches, which start-up dominates, and machines it was not fitted to.
std::optional<ModelTime> modelled(const Statistics& statistics, const Machine& machine) {
  try {
    return model_time(statistics, machine);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::optional<ModelBounds> bounds_of(const Statistics& statistics, const Machine& machine) {
  try {
    return model_bounds(statistics, machine);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

std::string summary(const Statistics& s, const std::optional<ModelTime>& time) {
  return fmt::format(
      "{}x{}x{} workgroups of {}, {} threads, {:.1f} instructions, {:.1f} loads, {:.1f} stores and "
      "{:.1f} atomics a thread{}{}",
      s.grid[0], s.grid[1], s.grid[2], s.workgroup_size, s.threads, s.per_thread(s.instructions),
      s.per_thread(s.tmu.total(TmuKind::load)), s.per_thread(s.tmu.total(TmuKind::store)),
      s.per_thread(s.tmu.total(TmuKind::atomic)), time ? "; " : "", time ? describe(*time) : "");
}

Json seconds_json(const ModelBounds& bounds) {
  Json json = Json::object();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    json[bound_name(static_cast<Bound>(i))] = {bounds[i].low, bounds[i].high};
  }
  return json;
}

/// What the bounds rest on: a statistics file explains itself.
Json assumed_json(const Machine& machine, const ModelConstants& constants) {
  const auto interval = [](const Interval& ends) { return Json{ends.low, ends.high}; };
  const auto known = [](double value) { return Json{value, value}; };
  return {{"clock_hz", known(machine.clock_hz)},
          {"qpus", known(machine.qpus)},
          {"slices", known(machine.slices)},
          {"memory_bytes_per_second", known(machine.memory_bytes_per_second)},
          {"cycles_per_instruction", known(constants.cycles_per_instruction)},
          {"tmu_cycles_per_lane_word", interval(constants.tmu_cycles_per_lane_word)},
          {"tmu_latency_seconds", interval(constants.tmu_latency_seconds)},
          {"dispatch_overhead_seconds", known(constants.dispatch_overhead_seconds)}};
}

std::string record(const CsdJob& job, const Statistics& statistics, const Machine& machine,
                   const std::optional<ModelTime>& time) {
  Json json = Json::parse(to_json(statistics));
  json["indirect"] = job.words.indirect;
  if (!job.shader.empty()) json["shader"] = Json::parse(job.shader);
  if (const auto bounds = bounds_of(statistics, machine)) {
    json["bounds"] = seconds_json(*bounds);
    json["assumed"] = assumed_json(machine, {});
  }
  if (time) {
    json["model"] = {{"seconds_low", time->seconds.low},
                     {"seconds_high", time->seconds.high},
                     {"low_bound", bound_name(time->low_bound)},
                     {"high_bound", bound_name(time->high_bound)}};
  }
  return json.dump();
}

}  // namespace

ExecutorRunner::ExecutorRunner(const Settings& settings)
    : settings_(settings), executor_(settings.machine(), settings.options), report_(settings) {}

CsdResult ExecutorRunner::run(const CsdJob& job, const AddressSpace& memory) {
  return run(job, memory.base());
}

CsdResult ExecutorRunner::run(const CsdJob& job, std::byte* base) {
  MappedMemory memory(base);
  for (const BufferRange& range : job.memory) memory.add(range.address, range.size);
  std::optional<JobCapture> capture;
  if (!settings_.record.empty()) capture.emplace(job, settings_.version, base);
  ran_ = true;
  const Statistics statistics = executor_.run(job.words, memory);
  if (capture) captured_.push_back(capture->finish());
  const auto time = modelled(statistics, executor_.machine());
  CsdResult result;
  if (job.wants_record || report_.wanted()) {
    result.record = record(job, statistics, executor_.machine(), time);
    report_.add(result.record);
  }
  if (time) {
    result.modelled = Nanoseconds(std::llround((time->seconds.low + time->seconds.high) / 2 * 1e9));
  }
  result.summary = summary(statistics, time);
  result.counters = counter_values(statistics);
  return result;
}

void ExecutorRunner::write_report() const {
  report_.write();
  if (!settings_.record.empty()) write_jobs(captured_, settings_.record);
  if (!settings_.explain || !ran_) return;
  fmt::print(stderr, "v3dsim: all this rests on what no board has confirmed:\n");
  for (const UnprovenPoint& point : unproven_points()) {
    fmt::print(stderr, "v3dsim: not proven: {}: {}\n", point.topic, point.assumption);
  }
}

}  // namespace sidecore::v3dsim
