#include "v3dsim/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "v3dsim/fault.h"
#include "v3dsim/lanes.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::uint32_t kFourThreads = 1, kSingleSegment = 2, kPropagateNans = 4;

std::uint32_t batches_of(std::uint32_t invocations) {
  constexpr auto kWidth = static_cast<std::uint32_t>(kLanes);
  return (invocations + kWidth - 1) / kWidth;
}

void count_workgroups(JobShape& shape) {
  shape.workgroups = std::uint64_t{shape.groups[0]} * shape.groups[1] * shape.groups[2];
  shape.supergroups =
      (shape.workgroups + shape.workgroups_per_supergroup - 1) / shape.workgroups_per_supergroup;
  shape.batches = 0;
  if (shape.supergroups == 0) return;
  shape.batches =
      (shape.supergroups - 1) * shape.full_batches() + shape.batches_in(shape.supergroups - 1);
}

}  // namespace

std::uint32_t JobShape::workgroups_in(std::uint64_t supergroup) const {
  const std::uint64_t before = supergroup * workgroups_per_supergroup;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(workgroups_per_supergroup, workgroups - before));
}

std::uint32_t JobShape::invocations_in(std::uint64_t supergroup) const {
  return workgroups_in(supergroup) * workgroup_size;
}

std::uint32_t JobShape::batches_in(std::uint64_t supergroup) const {
  return batches_of(invocations_in(supergroup));
}

std::uint32_t JobShape::full_batches() const {
  return batches_of(workgroups_per_supergroup * workgroup_size);
}

std::array<std::uint32_t, 3> JobShape::group_id(std::uint64_t workgroup) const {
  const std::uint64_t plane = std::uint64_t{groups[0]} * groups[1];
  return {static_cast<std::uint32_t>(workgroup % groups[0]),
          static_cast<std::uint32_t>(workgroup % plane / groups[0]),
          static_cast<std::uint32_t>(workgroup / plane)};
}

unsigned JobShape::local_bits() const {
  return std::max(6U, static_cast<unsigned>(std::bit_width(workgroup_size - 1)));
}

std::uint32_t code_address(const Job& job) {
  return job.config[5] & ~7U;
}

unsigned threads_per_qpu(const Job& job) {
  return (job.config[5] & kFourThreads) != 0 ? 4 : 2;
}

std::uint32_t workgroups_per_supergroup(const Job& job) {
  const std::uint32_t told = (job.config[3] >> 8) & 15;
  return told == 0 ? 16 : told;
}

JobShape read_job(const Job& job, const Machine& machine) {
  const auto& config = job.config;
  const auto fail = [](const std::string& message) { throw Fault(FaultKind::bad_job, message); };
  JobShape shape;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shape.groups[axis] = config[axis] >> 16;
    if ((config[axis] & 0xffff) != 0) {
      fail(fmt::format("workgroup offset {} on axis {} is not supported", config[axis] & 0xffff,
                       axis));
    }
  }
  shape.workgroup_size = (config[3] & 0xff) == 0 ? 256 : config[3] & 0xff;
  shape.workgroups_per_supergroup = workgroups_per_supergroup(job);
  shape.four_threads = (config[5] & kFourThreads) != 0;
  shape.single_segment = (config[5] & kSingleSegment) != 0;
  shape.code_address = code_address(job);
  shape.uniform_address = config[6];
  count_workgroups(shape);
  if (shape.workgroups == 0) fail("a job without workgroups");

  const std::uint32_t told_per_supergroup = ((config[3] >> 12) & 0xff) + 1;
  if (told_per_supergroup != shape.full_batches()) {
    fail(fmt::format("{} batches per supergroup, but {} workgroups of {} need {}",
                     told_per_supergroup, shape.workgroups_per_supergroup, shape.workgroup_size,
                     shape.full_batches()));
  }
  const std::uint64_t told =
      std::uint64_t{config[4]} + (machine.job_holds_batches_minus_one() ? 1 : 0);
  if (told != shape.batches) {
    fail(fmt::format("{} batches in the job, but its grid of {} workgroups needs {}", told,
                     shape.workgroups, shape.batches));
  }
  return shape;
}

Job make_job(const JobShape& shape, const Machine& machine) {
  JobShape counted = shape;
  count_workgroups(counted);
  Job job;
  for (std::size_t axis = 0; axis < 3; ++axis) job.config[axis] = shape.groups[axis] << 16;
  job.config[3] = (shape.workgroup_size & 0xff) | (shape.workgroups_per_supergroup & 15) << 8 |
                  (counted.full_batches() - 1) << 12;
  job.config[4] =
      static_cast<std::uint32_t>(counted.batches) - (machine.job_holds_batches_minus_one() ? 1 : 0);
  job.config[5] = shape.code_address | (shape.four_threads ? kFourThreads : 0) |
                  (shape.single_segment ? kSingleSegment : 0) |
                  (machine.version == Version::v42 ? kPropagateNans : 0);
  job.config[6] = shape.uniform_address;
  return job;
}

}  // namespace sidecore::v3dsim
