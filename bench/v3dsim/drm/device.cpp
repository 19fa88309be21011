#include "v3dsim/drm/device.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "v3dsim/drm/user_pointer.h"
#include "v3dsim/fault.h"
#include "v3dsim/simulated_counters.h"

namespace sidecore::v3dsim {
namespace {

// Name of the driver, which user-space drivers check first.
constexpr std::string_view kName = "v3d";
constexpr std::string_view kDate = "20180419";
constexpr std::string_view kDescription = "Broadcom V3D graphics, simulated";

template <class T>
T& as(void* argument) {
  return *static_cast<T*>(argument);
}

// Answers with a string. Callers ask twice: first for the length, then for the text.
void answer_string(std::uint64_t address, std::uint64_t& length, std::string_view text) {
  if (address != 0) {
    std::memcpy(user_pointer<char>(address), text.data(),
                std::min<std::size_t>(length, text.size()));
  }
  length = text.size();
}

int answer_version(uapi::Version& version) {
  version.major = 1;
  version.minor = 0;
  version.patch = 0;
  answer_string(version.name, version.name_length, kName);
  answer_string(version.date, version.date_length, kDate);
  answer_string(version.description, version.description_length, kDescription);
  return 0;
}

int answer_capability(uapi::GetCap& request) {
  switch (static_cast<uapi::Capability>(request.capability)) {
    case uapi::Capability::prime:
      request.value = 3;  // bits for PRIME import and export
      break;
    case uapi::Capability::syncobj:
    case uapi::Capability::syncobj_timeline:
      request.value = 1;
      break;
    default:
      request.value = 0;
  }
  return 0;
}

constexpr std::uint64_t ident0(std::uint64_t major) {
  return major << 24 | std::uint64_t{'D'} << 16 | std::uint64_t{'3'} << 8 | std::uint64_t{'V'};
}

// Returns the identification word. Fields from bit 0: minor version, slices, QPUs per slice, TMUs
// per slice. Bits 31:28 (VPM size in 8 KiB) and bit 24 are a Raspberry Pi 4's in both versions,
// because compute uses neither.
constexpr std::uint64_t ident1(std::uint64_t minor, const Machine& machine) {
  constexpr unsigned kTmusPerSlice = 1;
  return minor | machine.slices << 4 | machine.qpus / machine.slices << 8 | kTmusPerSlice << 12 |
         0x81000000U;
}

// Returns the answer to GET_PARAM, or nothing if that board's kernel would answer EINVAL.
std::optional<std::uint64_t> device_param(const Settings& settings, uapi::Param param) {
  const bool v42 = settings.version == Version::v42;
  switch (param) {
    case uapi::Param::uifcfg:
      return 0x45;
    case uapi::Param::hub_ident1:
      return 0x000e1124;
    case uapi::Param::hub_ident2:
      return 0x100;
    case uapi::Param::hub_ident3:
      return settings.machine().revision << 8;
    case uapi::Param::core0_ident0:
      return ident0(v42 ? 4 : 7);
    case uapi::Param::core0_ident1:
      return ident1(v42 ? 2 : 1, settings.machine());
    case uapi::Param::core0_ident2:
      return 0x40078121;
    case uapi::Param::supports_tfu:
    case uapi::Param::supports_csd:
    case uapi::Param::supports_cache_flush:
    case uapi::Param::supports_perfmon:
    case uapi::Param::supports_multisync:
      return 1;
    case uapi::Param::supports_cpu_queue:
      return settings.cpu_queue ? 1 : 0;
    case uapi::Param::max_perf_counters:
      return kSimulatedCounters;
  }
  return std::nullopt;
}

int answer_param(const Settings& settings, uapi::GetParam& request) {
  const auto value = device_param(settings, request.param);
  if (!value) return -EINVAL;
  request.value = *value;
  return 0;
}

}  // namespace

Device::Device(Settings settings, std::unique_ptr<AddressSpace> memory,
               std::unique_ptr<JobRunner> runner)
    : settings_(std::move(settings)),
      runner_(std::move(runner)),
      memory_(std::move(memory)),
      submitter_(settings_, *memory_, syncs_, perfmons_, *runner_) {}

void Device::complain(const std::string& message) {
  if (complaints_.insert(message).second) fmt::print(stderr, "v3dsim: {}\n", message);
}

int Device::ioctl(unsigned long request, void* argument) {
  std::unique_lock lock(mutex_);
  try {
    return dispatch(lock, uapi::number_of(request), argument);
  } catch (const Fault& fault) {
    complain(fmt::format("refused: {}", fault.what()));
  } catch (const Error& error) {
    complain(fmt::format("refused: {}", error.what()));
  } catch (const std::exception& error) {
    complain(fmt::format("failed: {}", error.what()));
  }
  syncs_.mark_lost();
  return -EIO;
}

int Device::dispatch(std::unique_lock<std::mutex>& lock, uapi::Request request, void* argument) {
  using enum uapi::Request;
  switch (request) {
    case version:
      return answer_version(as<uapi::Version>(argument));
    case get_cap:
      return answer_capability(as<uapi::GetCap>(argument));
    case get_param:
      return answer_param(settings_, as<uapi::GetParam>(argument));
    case submit_csd:
      return submitter_.csd(as<uapi::SubmitCsd>(argument));
    case submit_cl:
      return submitter_.command_list(as<uapi::SubmitCl>(argument));
    case submit_cpu:
      return settings_.cpu_queue ? submitter_.cpu(as<uapi::SubmitCpu>(argument)) : -ENOTTY;
    case submit_tfu:
      throw Error(ErrorKind::failed,
                  "a texture formatting job; only compute jobs, buffer copies and buffer fills are "
                  "simulated");
    case gem_close:
    case create_bo:
    case mmap_bo:
    case get_bo_offset:
    case wait_bo:
      return dispatch_buffer(request, argument);
    case perfmon_create:
    case perfmon_destroy:
    case perfmon_get_values:
    case perfmon_get_counter:
      return dispatch_perfmon(request, argument);
    case syncobj_handle_to_fd:
    case syncobj_fd_to_handle:
      return dispatch_sync_file(request, as<uapi::SyncobjHandle>(argument));
    case prime_handle_to_fd:
    case prime_fd_to_handle:
      return refuse_sharing();
    default:
      return dispatch_sync(lock, request, argument);
  }
}

int Device::dispatch_buffer(uapi::Request request, void* argument) {
  using enum uapi::Request;
  if (request == gem_close) {
    return memory_->destroy(as<uapi::GemClose>(argument).handle) ? 0 : -EINVAL;
  }
  if (request == create_bo) {
    auto& create = as<uapi::CreateBo>(argument);
    if (create.size == 0) return -EINVAL;
    const auto handle = memory_->create(create.size);
    if (!handle) return -ENOMEM;
    // New buffers are filled with noise if poisoning is on: a kernel zeroes them, but the driver
    // reuses buffers without zeroing.
    if (settings_.options.poison) memory_->fill_with_noise(*handle, settings_.options.seed);
    create.handle = *handle;
    create.offset = memory_->find(*handle)->address;
    return 0;
  }
  // The three remaining requests begin with the handle.
  const auto range = memory_->find(as<std::uint32_t>(argument));
  if (!range) return -ENOENT;
  if (request == mmap_bo) as<uapi::MmapBo>(argument).offset = range->address;
  if (request == get_bo_offset) as<uapi::GetBoOffset>(argument).offset = range->address;
  return 0;  // result of wait_bo: all users of the buffer have ended
}

int Device::dispatch_perfmon(uapi::Request request, void* argument) {
  using enum uapi::Request;
  switch (request) {
    case perfmon_create:
      return perfmons_.create(as<uapi::PerfmonCreate>(argument));
    case perfmon_destroy:
      return perfmons_.destroy(as<std::uint32_t>(argument));
    case perfmon_get_values:
      return perfmons_.get_values(as<uapi::PerfmonGetValues>(argument));
    default:
      return Perfmons::describe(as<uapi::PerfmonGetCounter>(argument));
  }
}

int Device::refuse_sharing() {
  complain("refused: sharing memory or fences with other processes is not simulated");
  return -ENOSYS;
}

// A sync file holds a fence, not the object. An exported fence has passed already.
int Device::dispatch_sync_file(uapi::Request request, uapi::SyncobjHandle& argument) {
  if (argument.pad != 0 || (argument.flags & ~uapi::kSyncobjAsSyncFile) != 0) return -EINVAL;
  if (argument.flags == 0) return refuse_sharing();
  if (!syncs_.known(argument.handle)) return -ENOENT;
  if (request == uapi::Request::syncobj_fd_to_handle) {
    return fence_.owns(argument.descriptor) ? syncs_.signal({&argument.handle, 1}) : -EINVAL;
  }
  if (!syncs_.signaled(argument.handle)) return -EINVAL;
  argument.descriptor = fence_.duplicate();
  return argument.descriptor < 0 ? -errno : 0;
}

int Device::dispatch_sync(std::unique_lock<std::mutex>& lock, uapi::Request request,
                          void* argument) {
  using enum uapi::Request;
  switch (request) {
    case syncobj_create: {
      auto& create = as<uapi::SyncobjCreate>(argument);
      create.handle = syncs_.create((create.flags & uapi::kSyncobjCreateSignaled) != 0);
      return 0;
    }
    case syncobj_destroy:
      return syncs_.destroy(as<uapi::SyncobjCreate>(argument).handle);
    case syncobj_wait: {
      auto& wait = as<uapi::SyncobjWait>(argument);
      return syncs_.wait(lock, user_array<std::uint32_t>(wait.handles, wait.count), {},
                         wait.timeout_ns, (wait.flags & uapi::kSyncobjWaitAll) != 0,
                         (wait.flags & uapi::kSyncobjWaitForSubmit) != 0, wait.first_signaled);
    }
    case syncobj_timeline_wait: {
      auto& wait = as<uapi::SyncobjTimelineWait>(argument);
      return syncs_.wait(lock, user_array<std::uint32_t>(wait.handles, wait.count),
                         user_array<std::uint64_t>(wait.points, wait.count), wait.timeout_ns,
                         (wait.flags & uapi::kSyncobjWaitAll) != 0,
                         (wait.flags & uapi::kSyncobjWaitForSubmit) != 0, wait.first_signaled);
    }
    case syncobj_reset:
    case syncobj_signal: {
      const auto& array = as<uapi::SyncobjArray>(argument);
      const auto handles = user_array<std::uint32_t>(array.handles, array.count);
      return request == syncobj_reset ? syncs_.reset(handles) : syncs_.signal(handles);
    }
    case syncobj_query:
    case syncobj_timeline_signal: {
      const auto& array = as<uapi::SyncobjTimelineArray>(argument);
      const auto handles = user_array<std::uint32_t>(array.handles, array.count);
      const auto points = user_array<std::uint64_t>(array.points, array.count);
      return request == syncobj_query ? syncs_.query(handles, points)
                                      : syncs_.signal_points(handles, points);
    }
    case syncobj_transfer: {
      const auto& transfer = as<uapi::SyncobjTransfer>(argument);
      return syncs_.transfer(transfer.source, transfer.source_point, transfer.destination,
                             transfer.destination_point);
    }
    default:
      complain(fmt::format("refused: the kernel interface has no request {:#04x} here",
                           static_cast<unsigned>(request)));
      return -ENOTTY;
  }
}

}  // namespace sidecore::v3dsim
