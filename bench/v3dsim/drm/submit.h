// Submissions to the queues of the fake device: compute jobs, command lists, and jobs for the
// kernel's CPU queue. Every job has ended when its submission returns.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "v3dsim/drm/address_space.h"
#include "v3dsim/drm/job_runner.h"
#include "v3dsim/drm/perfmons.h"
#include "v3dsim/drm/settings.h"
#include "v3dsim/drm/sync_objects.h"
#include "v3dsim/drm/uapi.h"

namespace sidecore::v3dsim {

/// Extensions of one submission.
struct SubmitExtensions {
  std::span<const uapi::Semaphore> waits;
  std::span<const uapi::Semaphore> signals;
  const uapi::Extension* cpu_job = nullptr;  ///< extension of a CPU job; at most one per submission
};

/// Reads the chain of extensions at address `first` (0: none). Throws Error (failed) for an
/// unknown, repeated or endless chain.
[[nodiscard]] SubmitExtensions read_extensions(std::uint64_t first);

/// Executes submissions. Functions return 0 or a negative errno value as the kernel does. They
/// throw Error if a job needs something that is not simulated or breaks a rule; then nothing is
/// signaled.
class Submitter {
 public:
  /// Makes a submitter, which all references must outlive.
  Submitter(const Settings& settings, const AddressSpace& memory, SyncObjects& syncs,
            Perfmons& perfmons, JobRunner& runner);

  int csd(const uapi::SubmitCsd& request);
  int command_list(const uapi::SubmitCl& request);
  int cpu(const uapi::SubmitCpu& request);

 private:
  int check(const SubmitExtensions& extensions, std::uint64_t bo_handles,
            std::uint32_t count) const;
  int finish(const SubmitExtensions& extensions);
  CounterValues run(const uapi::SubmitCsd& request, std::span<const std::uint32_t> buffers,
                    bool indirect);
  CsdResult run_in_list(const CsdJob& job);
  void warn_of_packed_workgroups(const Job& job, const CounterValues& counters);
  [[nodiscard]] int check_monitor(std::uint32_t id) const;
  [[nodiscard]] std::vector<BufferRange> memory_of(std::span<const std::uint32_t> buffers) const;

  int indirect_csd(const uapi::IndirectCsd& request, std::span<const std::uint32_t> buffers);
  int timestamp(const uapi::TimestampQuery& request, std::span<const std::uint32_t> buffers);
  int reset_timestamp(const uapi::ResetTimestampQuery& request,
                      std::span<const std::uint32_t> buffers);
  int copy_timestamp(const uapi::CopyTimestampQuery& request,
                     std::span<const std::uint32_t> buffers);
  int reset_performance(const uapi::ResetPerformanceQuery& request);
  int copy_performance(const uapi::CopyPerformanceQuery& request,
                       std::span<const std::uint32_t> buffers);

  [[nodiscard]] std::uint64_t now_ns() const;
  /// Returns bytes [offset, offset + size) of the buffer `handle`. Throws Error if they leave it.
  [[nodiscard]] std::span<std::byte> within(std::uint32_t handle, std::uint64_t offset,
                                            std::uint64_t size, const char* what) const;

  const Settings& settings_;
  const AddressSpace& memory_;
  SyncObjects& syncs_;
  Perfmons& perfmons_;
  JobRunner& runner_;
  Nanoseconds modelled_{0};
  Clock::time_point start_ = Clock::now();
  std::uint64_t jobs_ = 0;
  bool warned_ = false;  ///< true after the warning about packed workgroups was printed
};

}  // namespace sidecore::v3dsim
