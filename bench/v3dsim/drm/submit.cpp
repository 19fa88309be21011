#include "v3dsim/drm/submit.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/error.h"
#include "v3dsim/drm/command_list.h"
#include "v3dsim/drm/user_pointer.h"
#include "v3dsim/fault.h"

namespace sidecore::v3dsim {
namespace {

constexpr unsigned kMaxExtensions = 16;

}  // namespace

SubmitExtensions read_extensions(std::uint64_t first) {
  SubmitExtensions result;
  bool synced = false;
  unsigned seen = 0;
  for (auto* head = user_pointer<const uapi::Extension>(first); head != nullptr;
       head = user_pointer<const uapi::Extension>(head->next)) {
    const auto id = static_cast<std::uint32_t>(head->id);
    const bool sync = head->id == uapi::ExtensionId::multi_sync;
    if (++seen > kMaxExtensions || (sync ? synced : result.cpu_job != nullptr)) {
      throw Error(ErrorKind::failed, fmt::format("submission repeats its extension {}", id));
    }
    if (sync) {
      synced = true;
      const auto* multi = reinterpret_cast<const uapi::MultiSync*>(head);
      result.waits = user_array<const uapi::Semaphore>(multi->in_syncs, multi->in_sync_count);
      result.signals = user_array<const uapi::Semaphore>(multi->out_syncs, multi->out_sync_count);
    } else if (head->id >= uapi::ExtensionId::indirect_csd &&
               head->id <= uapi::ExtensionId::copy_performance_query) {
      result.cpu_job = head;
    } else {
      throw Error(ErrorKind::failed, fmt::format("submission extension {} is not simulated", id));
    }
  }
  return result;
}

Submitter::Submitter(const Settings& settings, const AddressSpace& memory, SyncObjects& syncs,
                     Perfmons& perfmons, JobRunner& runner)
    : settings_(settings), memory_(memory), syncs_(syncs), perfmons_(perfmons), runner_(runner) {}

// Checks a submission's arguments. Waits return at once, because all earlier submissions have
// ended. Waiting for a semaphore that no submission signals is an error, as in the kernel.
int Submitter::check(const SubmitExtensions& extensions, std::uint64_t bo_handles,
                     std::uint32_t count) const {
  for (const std::uint32_t handle : user_array<const std::uint32_t>(bo_handles, count)) {
    if (!memory_.find(handle)) return -ENOENT;
  }
  for (const uapi::Semaphore& wait : extensions.waits) {
    if (!syncs_.signaled(wait.handle)) return -EINVAL;
  }
  for (const uapi::Semaphore& signal : extensions.signals) {
    if (!syncs_.known(signal.handle)) return -ENOENT;
  }
  return 0;
}

int Submitter::finish(const SubmitExtensions& extensions) {
  for (const uapi::Semaphore& signal : extensions.signals) {
    const int status = syncs_.signal_points({&signal.handle, 1}, {&signal.point, 1});
    if (status != 0) return status;
  }
  return 0;
}

std::vector<BufferRange> Submitter::memory_of(std::span<const std::uint32_t> buffers) const {
  if (settings_.bounds == Bounds::live) return memory_.live();
  std::vector<BufferRange> ranges;
  for (const std::uint32_t handle : buffers) {
    if (const auto range = memory_.find(handle)) ranges.push_back(*range);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  ranges.erase(std::unique(ranges.begin(), ranges.end(),
                           [](const auto& a, const auto& b) { return a.address == b.address; }),
               ranges.end());
  return ranges;
}

int Submitter::check_monitor(std::uint32_t id) const {
  return id == 0 || perfmons_.known(id) ? 0 : -ENOENT;
}

// Runs a job. If a faulting address is in an allocated buffer outside the job's list, the message
// says so: either the driver left a buffer object out, or the shader accessed a neighbour's buffer.
CsdResult Submitter::run_in_list(const CsdJob& job) {
  try {
    return runner_.run(job, memory_);
  } catch (const Fault& fault) {
    const auto holder = fault.kind() == FaultKind::out_of_bounds && fault.address()
                            ? memory_.find_buffer_at(*fault.address())
                            : std::nullopt;
    const auto is_holder = [&](const BufferRange& range) {
      return range.address == holder->address;
    };
    if (!holder || std::ranges::any_of(job.memory, is_holder)) throw;
    throw Fault(fault.kind(),
                fmt::format("{}; the address is in an allocated buffer of {} bytes at {:#x} that "
                            "the driver did not "
                            "list for the job",
                            fault.what(), holder->size, holder->address),
                fault.address());
  }
}

// Warns only once. The job runs as the driver compiled it; only the shader's author can notice that
// this differs from what the shader says.
void Submitter::warn_of_packed_workgroups(const Job& job, const CounterValues& counters) {
  const std::uint32_t together = workgroups_per_supergroup(job);
  if (warned_ || counters[kBarrierCounter] == 0 || together == 1) return;
  warned_ = true;
  fmt::print(
      stderr,
      "v3dsim: warning: job {}: the driver packs {} workgroups with shared memory into common "
      "threads; a load that is uniform in one workgroup may read another workgroup's shared "
      "variable. Use "
      "workgroups of a multiple of 16 invocations\n",
      jobs_, together);
}

CounterValues Submitter::run(const uapi::SubmitCsd& request, std::span<const std::uint32_t> buffers,
                             bool indirect) {
  CsdJob job;
  std::copy(std::begin(request.cfg), std::end(request.cfg), job.words.config.begin());
  job.words.indirect = indirect;
  job.memory = memory_of(buffers);
  ++jobs_;
  const Clock::time_point begin = Clock::now();
  const CsdResult result = run_in_list(job);
  warn_of_packed_workgroups(job.words, result.counters);
  modelled_ += result.modelled;
  if (settings_.explain) {
    fmt::print(stderr, "v3dsim: job {}{}: {}; simulated in {:.1f} ms\n", jobs_,
               indirect ? " (indirect)" : "", result.summary, seconds(Clock::now() - begin) * 1e3);
  }
  return result.counters;
}

int Submitter::csd(const uapi::SubmitCsd& request) {
  const SubmitExtensions extensions =
      read_extensions((request.flags & uapi::kSubmitHasExtensions) != 0 ? request.extensions : 0);
  int status = check(extensions, request.bo_handles, request.bo_handle_count);
  if (status == 0) status = check_monitor(request.perfmon);
  if (status != 0) return status;
  if (extensions.cpu_job != nullptr) return -EINVAL;
  const auto buffers = user_array<const std::uint32_t>(request.bo_handles, request.bo_handle_count);
  perfmons_.add(request.perfmon, run(request, buffers, false));
  return finish(extensions);
}

int Submitter::command_list(const uapi::SubmitCl& request) {
  const SubmitExtensions extensions =
      read_extensions((request.flags & uapi::kSubmitHasExtensions) != 0 ? request.extensions : 0);
  int status = check(extensions, request.bo_handles, request.bo_handle_count);
  // Command lists change no performance counter, because no counter counts work in the tile buffer.
  if (status == 0) status = check_monitor(request.perfmon);
  if (status != 0) return status;
  if (extensions.cpu_job != nullptr) return -EINVAL;
  const Transfer transfer = read_command_list(memory_, settings_.version, request.rcl_start);
  perform(transfer, memory_);
  if (settings_.explain && transfer.kind != Transfer::Kind::nothing) {
    fmt::print(stderr, "v3dsim: {} of {} bytes to {:#x}\n",
               transfer.kind == Transfer::Kind::copy ? "copy" : "fill", transfer.bytes,
               transfer.destination);
  }
  return finish(extensions);
}

std::uint64_t Submitter::now_ns() const {
  const Nanoseconds time = settings_.timestamps == TimestampSource::model
                               ? start_.time_since_epoch() + modelled_
                               : Clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(time.count());
}

std::span<std::byte> Submitter::within(std::uint32_t handle, std::uint64_t offset,
                                       std::uint64_t size, const char* what) const {
  const auto range = memory_.find(handle);
  if (!range || offset + size > range->size) {
    throw Error(ErrorKind::failed,
                fmt::format("{} of {} bytes at offset {} leaves its buffer of {} bytes", what, size,
                            offset, range ? range->size : 0));
  }
  return memory_.bytes(static_cast<std::uint32_t>(range->address + offset), size, what);
}

}  // namespace sidecore::v3dsim
