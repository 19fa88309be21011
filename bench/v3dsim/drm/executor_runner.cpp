#include "v3dsim/drm/executor_runner.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "v3dsim/memory.h"
#include "v3dsim/model.h"
#include "v3dsim/unproven_points.h"

namespace sidecore::v3dsim {
namespace {

using Json = nlohmann::ordered_json;

std::string summary(const Statistics& s, const std::optional<ModelTime>& time) {
  return fmt::format(
      "{}x{}x{} workgroups of {}, {} threads, {:.1f} instructions, {:.1f} loads, {:.1f} stores and "
      "{:.1f} atomics per thread{}{}",
      s.grid[0], s.grid[1], s.grid[2], s.workgroup_size, s.threads, s.per_thread(s.instructions),
      s.per_thread(s.tmu.total(TmuKind::load)), s.per_thread(s.tmu.total(TmuKind::store)),
      s.per_thread(s.tmu.total(TmuKind::atomic)), time ? "; " : "", time ? describe(*time) : "");
}

Json seconds_json(const std::array<Interval, 4>& bounds) {
  Json json = Json::object();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    json[bound_name(static_cast<Bound>(i))] = {bounds[i].low, bounds[i].high};
  }
  return json;
}

/// Returns the model's constants, so that a statistics file explains its bounds.
Json assumed_json(const Machine& machine, const ModelConstants& constants) {
  const auto known = [](double value) { return Json{value, value}; };
  return {{"clock_hz", known(machine.clock_hz)},
          {"qpus", known(machine.qpus)},
          {"slices", known(machine.slices)},
          {"cycles_per_instruction", known(constants.schedule.instruction)},
          {"tmu_cycles_per_request", known(constants.schedule.request)},
          {"tmu_cycles_per_word", known(constants.schedule.word)},
          {"tmu_latency_cycles", known(constants.schedule.latency)},
          {"supergroup_start_cycles", known(constants.schedule.start)},
          {"memory_bytes_per_second", known(64 * machine.clock_hz / constants.schedule.line)},
          {"supergroups_at_once", known(constants.schedule.supergroups)},
          {"error_factor", Json{constants.low_factor, constants.high_factor}},
          {"submission_seconds", known(constants.submission_seconds)},
          {"dispatch_overhead_seconds", known(constants.dispatch_overhead_seconds)}};
}

/// Schedules the same traces twice: with one supergroup at a time, as the model assumes, and with
/// two. Published times suggest one, but only through the fit of the model. Therefore the
/// statistics show both, and a shader should not be designed for one of them alone.
class BothSchedules final : public TraceSink {
 public:
  BothSchedules(const Machine& machine, const ScheduleConstants& constants,
                unsigned threads_per_qpu)
      : one(machine, constants, threads_per_qpu),
        two(machine, with_two(constants), threads_per_qpu) {}

  void supergroup(std::span<Trace> threads) override {
    std::vector<Trace> copy(threads.begin(), threads.end());
    two.supergroup(copy);
    one.supergroup(threads);
  }

  Schedule one, two;

 private:
  static ScheduleConstants with_two(ScheduleConstants constants) {
    constants.supergroups = 2;
    return constants;
  }
};

/// Modelled times of a job.
struct JobTimes {
  ModelTime time;
  Interval two_supergroups;  ///< greatest bound with two supergroups at a time
};

std::string record(const CsdJob& job, const Statistics& statistics, const Machine& machine,
                   const std::optional<JobTimes>& times) {
  Json json = Json::parse(to_json(statistics));
  json["indirect"] = job.words.indirect;
  if (!job.shader.empty()) json["shader"] = Json::parse(job.shader);
  if (times) {
    const ModelTime& time = times->time;
    json["bounds"] = seconds_json(time.bounds);
    json["two_supergroups"] = {times->two_supergroups.low, times->two_supergroups.high};
    json["assumed"] = assumed_json(machine, model_constants(machine));
    json["model"] = {{"seconds_low", time.seconds.low}, {"seconds_high", time.seconds.high}};
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
  const Machine& machine = executor_.machine();
  const ModelConstants constants = model_constants(machine);
  const bool recorded = job.wants_record || report_.wanted();
  std::optional<BothSchedules> schedules;
  if (recorded || settings_.explain || settings_.timestamps == TimestampSource::model) {
    schedules.emplace(machine, constants.schedule, threads_per_qpu(job.words));
  }
  const Statistics statistics = executor_.run(job.words, memory, schedules ? &*schedules : nullptr);
  if (capture) captured_.push_back(capture->finish());
  std::optional<JobTimes> times;
  if (schedules) {
    times = JobTimes{model_time(schedules->one, machine, constants), Interval{}};
    times->two_supergroups = greatest_bound(schedules->two, times->time, machine, constants);
  }
  CsdResult result;
  if (recorded) {
    result.record = record(job, statistics, machine, times);
    report_.add(result.record);
  }
  std::optional<ModelTime> time;
  if (times) {
    time = times->time;
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
  fmt::print(stderr,
             "v3dsim: the output above depends on assumptions that no board has confirmed:\n");
  for (const UnprovenPoint& point : unproven_points()) {
    fmt::print(stderr, "v3dsim: not proven: {}: {}\n", point.topic, point.assumption);
  }
}

}  // namespace sidecore::v3dsim
