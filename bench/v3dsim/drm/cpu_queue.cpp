// Jobs that the kernel runs on the CPU, in order with the GPU's jobs. They make dispatches from
// grids in buffers, write and copy timestamps, and reset and copy performance counters.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "v3dsim/drm/submit.h"
#include "v3dsim/drm/user_pointer.h"

namespace sidecore::v3dsim {
namespace {

constexpr std::uint32_t kBatchLanes = 16;

template <class T>
const T& as(const uapi::Extension* head) {
  return *reinterpret_cast<const T*>(head);
}

void store_result(std::byte* to, bool as_64bit, std::size_t index, std::uint64_t value) {
  if (as_64bit) {
    std::memcpy(to + index * sizeof value, &value, sizeof value);
  } else {
    const auto low = static_cast<std::uint32_t>(value);
    std::memcpy(to + index * sizeof low, &low, sizeof low);
  }
}

}  // namespace

int Submitter::cpu(const uapi::SubmitCpu& request) {
  const SubmitExtensions extensions =
      read_extensions((request.flags & uapi::kSubmitHasExtensions) != 0 ? request.extensions : 0);
  int status = check(extensions, request.bo_handles, request.bo_handle_count);
  if (status != 0) return status;
  if (extensions.cpu_job == nullptr) return -EINVAL;
  const bool wants_buffers = extensions.cpu_job->id != uapi::ExtensionId::reset_performance_query;
  if (wants_buffers != (request.bo_handle_count != 0)) return -EINVAL;
  const auto buffers = user_array<const std::uint32_t>(request.bo_handles, request.bo_handle_count);
  switch (extensions.cpu_job->id) {
    case uapi::ExtensionId::indirect_csd:
      status = indirect_csd(as<uapi::IndirectCsd>(extensions.cpu_job), buffers);
      break;
    case uapi::ExtensionId::timestamp_query:
      status = timestamp(as<uapi::TimestampQuery>(extensions.cpu_job), buffers);
      break;
    case uapi::ExtensionId::reset_timestamp_query:
      status = reset_timestamp(as<uapi::ResetTimestampQuery>(extensions.cpu_job), buffers);
      break;
    case uapi::ExtensionId::copy_timestamp_query:
      status = copy_timestamp(as<uapi::CopyTimestampQuery>(extensions.cpu_job), buffers);
      break;
    case uapi::ExtensionId::reset_performance_query:
      status = reset_performance(as<uapi::ResetPerformanceQuery>(extensions.cpu_job));
      break;
    case uapi::ExtensionId::copy_performance_query:
      status = copy_performance(as<uapi::CopyPerformanceQuery>(extensions.cpu_job), buffers);
      break;
    default:
      return -EINVAL;
  }
  return status != 0 ? status : finish(extensions);
}

int Submitter::indirect_csd(const uapi::IndirectCsd& request,
                            std::span<const std::uint32_t> buffers) {
  std::array<std::uint32_t, 3> count{};
  const auto source = within(buffers[0], request.offset, sizeof count, "the indirect grid");
  std::memcpy(count.data(), source.data(), sizeof count);
  if (std::find(count.begin(), count.end(), 0U) != count.end()) return 0;

  uapi::SubmitCsd submit = request.submit;
  for (std::size_t axis = 0; axis < count.size(); ++axis) {
    if (count[axis] > 0xffff) {
      throw Error(ErrorKind::failed,
                  fmt::format("indirect grid of {}x{}x{} workgroups; the limit is 65535 per axis",
                              count[0], count[1], count[2]));
    }
    submit.cfg[axis] = count[axis] << 16;
    const std::uint32_t index = request.workgroup_uniform_offsets[axis];
    if (index == uapi::kNoUniformOffset) continue;
    const auto uniform = within(request.indirect, std::uint64_t{index} * sizeof count[axis],
                                sizeof count[axis], "a uniform of the indirect grid");
    std::memcpy(uniform.data(), &count[axis], sizeof count[axis]);
  }
  const std::uint32_t batches =
      (request.workgroup_size + kBatchLanes - 1) / kBatchLanes * count[0] * count[1] * count[2];
  submit.cfg[4] = settings_.machine().job_holds_batches_minus_one() ? batches - 1 : batches;
  std::vector<std::uint32_t> touched(buffers.begin(), buffers.end());
  const auto listed = user_array<const std::uint32_t>(submit.bo_handles, submit.bo_handle_count);
  touched.insert(touched.end(), listed.begin(), listed.end());
  // The argument `true` ignores the request's performance monitor, as the kernel does.
  run(submit, touched, true);
  return 0;
}

int Submitter::timestamp(const uapi::TimestampQuery& request,
                         std::span<const std::uint32_t> buffers) {
  const auto offsets = user_array<const std::uint32_t>(request.offsets, request.count);
  const std::uint64_t now = now_ns();
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    // Several queries in one job are the views of a multiview query, and only the first holds the
    // time.
    const std::uint64_t value = i == 0 ? now : 0;
    std::memcpy(within(buffers[0], offsets[i], sizeof value, "a timestamp").data(), &value,
                sizeof value);
  }
  return syncs_.signal(user_array<const std::uint32_t>(request.syncs, request.count));
}

int Submitter::reset_timestamp(const uapi::ResetTimestampQuery& request,
                               std::span<const std::uint32_t> buffers) {
  const auto bytes =
      within(buffers[0], request.offset, std::uint64_t{request.count} * 8, "a reset of timestamps");
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  return syncs_.reset(user_array<const std::uint32_t>(request.syncs, request.count));
}

int Submitter::copy_timestamp(const uapi::CopyTimestampQuery& request,
                              std::span<const std::uint32_t> buffers) {
  if (buffers.size() < 2) return -EINVAL;
  const auto offsets = user_array<const std::uint32_t>(request.offsets, request.count);
  const auto syncs = user_array<const std::uint32_t>(request.syncs, request.count);
  const bool wide = request.do_64bit != 0;
  const std::uint64_t item = wide ? 8 : 4;
  const std::uint64_t result_bytes = request.availability_bit != 0 ? 2 * item : item;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    std::byte* to = within(buffers[0], request.offset + i * request.stride, result_bytes,
                           "a copy of timestamps")
                        .data();
    std::uint64_t value = 0;
    std::memcpy(&value, within(buffers[1], offsets[i], sizeof value, "a timestamp").data(),
                sizeof value);
    const bool available = syncs_.signaled(syncs[i]);
    if (available || request.do_partial != 0) store_result(to, wide, 0, value);
    if (request.availability_bit != 0) store_result(to, wide, 1, available ? 1 : 0);
  }
  return 0;
}

int Submitter::reset_performance(const uapi::ResetPerformanceQuery& request) {
  const auto syncs = user_array<const std::uint32_t>(request.syncs, request.count);
  const int status = syncs_.reset(syncs);
  if (status != 0) return status;
  for (const std::uint64_t address :
       user_array<const std::uint64_t>(request.monitors, request.count)) {
    for (const std::uint32_t id : user_array<const std::uint32_t>(address, request.monitor_count)) {
      perfmons_.reset(id);
    }
  }
  return 0;
}

int Submitter::copy_performance(const uapi::CopyPerformanceQuery& request,
                                std::span<const std::uint32_t> buffers) {
  if (request.pad != 0) return -EINVAL;
  const auto syncs = user_array<const std::uint32_t>(request.syncs, request.count);
  const auto queries = user_array<const std::uint64_t>(request.monitors, request.count);
  if (!std::ranges::all_of(syncs, [&](auto sync) { return syncs_.known(sync); })) return -ENOENT;
  const bool wide = request.do_64bit != 0;
  const std::uint64_t items = request.counter_count + (request.availability_bit != 0 ? 1U : 0U);
  for (std::size_t query = 0; query < syncs.size(); ++query) {
    const auto to = within(buffers[0], request.offset + query * request.stride,
                           items * (wide ? 8 : 4), "a copy of performance counters");
    const bool available = syncs_.signaled(syncs[query]);
    std::size_t first = 0;
    for (const std::uint32_t id :
         user_array<const std::uint32_t>(queries[query], request.monitor_count)) {
      const auto sums = perfmons_.sums(id);
      for (std::size_t i = 0; i < sums.size() && first + i < request.counter_count; ++i) {
        if (available || request.do_partial != 0) store_result(to.data(), wide, first + i, sums[i]);
      }
      first += uapi::kMaxCounters;
    }
    if (request.availability_bit != 0) {
      store_result(to.data(), wide, request.counter_count, available ? 1 : 0);
    }
  }
  return 0;
}

}  // namespace sidecore::v3dsim
