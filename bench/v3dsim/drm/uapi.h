// Kernel interface of a V3D user-space driver: the requests and structures of DRM's core and of its
// v3d driver (Linux 6.12) that a compute device needs. They are repeated here because distributions
// ship this interface late or not at all. A request is identified by type and number only. Its
// size, also coded into the request value, has grown between kernel versions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sidecore::v3dsim::uapi {

inline constexpr unsigned kDrmType = 'd';

/// Numbers of DRM core requests; the v3d driver's begin at 0x40.
enum class Request : std::uint8_t {
  version = 0x00,
  gem_close = 0x09,
  get_cap = 0x0c,
  prime_handle_to_fd = 0x2d,
  prime_fd_to_handle = 0x2e,
  syncobj_create = 0xbf,
  syncobj_destroy = 0xc0,
  syncobj_handle_to_fd = 0xc1,
  syncobj_fd_to_handle = 0xc2,
  syncobj_wait = 0xc3,
  syncobj_reset = 0xc4,
  syncobj_signal = 0xc5,
  syncobj_timeline_wait = 0xca,
  syncobj_query = 0xcb,
  syncobj_transfer = 0xcc,
  syncobj_timeline_signal = 0xcd,
  submit_cl = 0x40,
  wait_bo = 0x41,
  create_bo = 0x42,
  mmap_bo = 0x43,
  get_param = 0x44,
  get_bo_offset = 0x45,
  submit_tfu = 0x46,
  submit_csd = 0x47,
  perfmon_create = 0x48,
  perfmon_destroy = 0x49,
  perfmon_get_values = 0x4a,
  submit_cpu = 0x4b,
  perfmon_get_counter = 0x4c,
};

constexpr unsigned type_of(unsigned long request) {
  return (request >> 8) & 0xff;
}
constexpr Request number_of(unsigned long request) {
  return static_cast<Request>(request & 0xff);
}

struct Version {
  std::int32_t major, minor, patch, pad;
  std::uint64_t name_length, name;
  std::uint64_t date_length, date;
  std::uint64_t description_length, description;
};
static_assert(sizeof(Version) == 64);

enum class Capability : std::uint64_t { prime = 0x5, syncobj = 0x13, syncobj_timeline = 0x14 };

struct GetCap {
  std::uint64_t capability, value;
};
static_assert(sizeof(GetCap) == 16);

struct GemClose {
  std::uint32_t handle, pad;
};
static_assert(sizeof(GemClose) == 8);

inline constexpr std::uint32_t kSyncobjCreateSignaled = 1;

struct SyncobjCreate {
  std::uint32_t handle, flags;
};
static_assert(sizeof(SyncobjCreate) == 8);

inline constexpr std::uint32_t kSyncobjWaitAll = 1;
inline constexpr std::uint32_t kSyncobjWaitForSubmit = 2;

struct SyncobjWait {
  std::uint64_t handles;
  std::int64_t timeout_ns;  ///< absolute time in ns, CLOCK_MONOTONIC
  std::uint32_t count, flags, first_signaled, pad;
};
static_assert(offsetof(SyncobjWait, first_signaled) == 24);

struct SyncobjTimelineWait {
  std::uint64_t handles, points;
  std::int64_t timeout_ns;
  std::uint32_t count, flags, first_signaled, pad;
};
static_assert(offsetof(SyncobjTimelineWait, first_signaled) == 32);

/// Value of `flags` in requests of both directions.
inline constexpr std::uint32_t kSyncobjAsSyncFile = 1;

struct SyncobjHandle {
  std::uint32_t handle, flags;
  std::int32_t descriptor;
  std::uint32_t pad;
};
static_assert(sizeof(SyncobjHandle) == 16);

/// The only supported request to a sync file: merge two into a fence that passes when both have.
inline constexpr unsigned kSyncFileType = '>';
inline constexpr unsigned kSyncFileMerge = 3;

struct SyncFileMerge {
  char name[32];
  std::int32_t other, merged;  ///< file descriptors of the other fence and of the merged fence
  std::uint32_t flags, pad;
};
static_assert(sizeof(SyncFileMerge) == 48);

/// Arguments of the ioctls that reset and signal sync objects.
struct SyncobjArray {
  std::uint64_t handles;
  std::uint32_t count, pad;
};
static_assert(sizeof(SyncobjArray) == 16);

/// Arguments of the ioctls that query and signal sync objects with timelines.
struct SyncobjTimelineArray {
  std::uint64_t handles, points;
  std::uint32_t count, flags;
};
static_assert(sizeof(SyncobjTimelineArray) == 24);

struct SyncobjTransfer {
  std::uint32_t source, destination;
  std::uint64_t source_point, destination_point;
  std::uint32_t flags, pad;
};
static_assert(sizeof(SyncobjTransfer) == 32);

struct CreateBo {
  std::uint32_t size, flags, handle, offset;
};
static_assert(sizeof(CreateBo) == 16);

struct MmapBo {
  std::uint32_t handle, flags;
  std::uint64_t offset;
};
static_assert(sizeof(MmapBo) == 16);

struct WaitBo {
  std::uint32_t handle, pad;
  std::uint64_t timeout_ns;
};
static_assert(sizeof(WaitBo) == 16);

enum class Param : std::uint32_t {
  uifcfg = 0,
  hub_ident1 = 1,
  hub_ident2 = 2,
  hub_ident3 = 3,
  core0_ident0 = 4,
  core0_ident1 = 5,
  core0_ident2 = 6,
  supports_tfu = 7,
  supports_csd = 8,
  supports_cache_flush = 9,
  supports_perfmon = 10,
  supports_multisync = 11,
  supports_cpu_queue = 12,
  max_perf_counters = 13,
};

struct GetParam {
  Param param;
  std::uint32_t pad;
  std::uint64_t value;
};
static_assert(sizeof(GetParam) == 16);

struct GetBoOffset {
  std::uint32_t handle, offset;
};
static_assert(sizeof(GetBoOffset) == 8);

inline constexpr std::uint32_t kSubmitHasExtensions = 2;  ///< bit of a submission's `flags`

struct SubmitCl {
  std::uint32_t bcl_start, bcl_end, rcl_start, rcl_end;
  std::uint32_t in_sync_bcl, in_sync_rcl, out_sync;
  std::uint32_t qma, qms, qts;
  std::uint64_t bo_handles;
  std::uint32_t bo_handle_count, flags, perfmon, pad;
  std::uint64_t extensions;
};
static_assert(sizeof(SubmitCl) == 72 && offsetof(SubmitCl, extensions) == 64);

inline constexpr std::size_t kCsdConfigWords = 7;

struct SubmitCsd {
  std::uint32_t cfg[kCsdConfigWords];
  std::uint32_t coef[4];
  std::uint32_t pad0;
  std::uint64_t bo_handles;
  std::uint32_t bo_handle_count, in_sync, out_sync, perfmon;
  std::uint64_t extensions;
  std::uint32_t flags, pad;
};
static_assert(sizeof(SubmitCsd) == 88 && offsetof(SubmitCsd, bo_handles) == 48 &&
              offsetof(SubmitCsd, extensions) == 72);

struct SubmitCpu {
  std::uint64_t bo_handles;
  std::uint32_t bo_handle_count, flags;
  std::uint64_t extensions;
};
static_assert(sizeof(SubmitCpu) == 24);

enum class ExtensionId : std::uint32_t {
  multi_sync = 1,
  indirect_csd = 2,
  timestamp_query = 3,
  reset_timestamp_query = 4,
  copy_timestamp_query = 5,
  reset_performance_query = 6,
  copy_performance_query = 7,
};

/// Head of every extension; `next` is the address of the next extension, or 0.
struct Extension {
  std::uint64_t next;
  ExtensionId id;
  std::uint32_t flags;
};
static_assert(sizeof(Extension) == 16);

struct MultiSync {
  Extension head;
  std::uint64_t in_syncs, out_syncs;  ///< addresses of arrays of Semaphore
  std::uint32_t in_sync_count, out_sync_count, wait_stage, pad;
};
static_assert(sizeof(MultiSync) == 48 && offsetof(MultiSync, in_sync_count) == 32);

struct Semaphore {
  std::uint32_t handle, flags;
  std::uint64_t point, reserved[2];
};
static_assert(sizeof(Semaphore) == 32);

inline constexpr std::uint32_t kNoUniformOffset = 0xffffffff;

struct IndirectCsd {
  Extension head;
  SubmitCsd submit;
  std::uint32_t indirect, offset, workgroup_size;
  std::uint32_t workgroup_uniform_offsets[3];
};
static_assert(sizeof(IndirectCsd) == 128 && offsetof(IndirectCsd, indirect) == 104);

struct TimestampQuery {
  Extension head;
  std::uint64_t offsets, syncs;  ///< addresses of arrays of 32-bit words
  std::uint32_t count, pad;
};
static_assert(sizeof(TimestampQuery) == 40);

struct ResetTimestampQuery {
  Extension head;
  std::uint64_t syncs;
  std::uint32_t offset, count;
};
static_assert(sizeof(ResetTimestampQuery) == 32);

struct CopyTimestampQuery {
  Extension head;
  std::uint8_t do_64bit, do_partial, availability_bit, pad;
  std::uint32_t offset, stride, count;
  std::uint64_t offsets, syncs;
};
static_assert(sizeof(CopyTimestampQuery) == 48 && offsetof(CopyTimestampQuery, offsets) == 32);

struct ResetPerformanceQuery {
  Extension head;
  std::uint64_t syncs;  ///< address of an array of 32-bit words
  std::uint32_t count, monitor_count;
  /// Address of an array with one entry per query: the address of an array of `monitor_count` ids.
  std::uint64_t monitors;
};
static_assert(sizeof(ResetPerformanceQuery) == 40);

struct CopyPerformanceQuery {
  Extension head;
  std::uint8_t do_64bit, do_partial, availability_bit, pad;
  std::uint32_t offset, stride, monitor_count, counter_count, count;
  std::uint64_t syncs, monitors;
};
static_assert(sizeof(CopyPerformanceQuery) == 56 && offsetof(CopyPerformanceQuery, syncs) == 40);

inline constexpr std::uint32_t kMaxCounters = 32;  ///< maximum number of counters per monitor

struct PerfmonCreate {
  std::uint32_t id, counter_count;
  std::uint8_t counters[kMaxCounters];
};
static_assert(sizeof(PerfmonCreate) == 40);

struct PerfmonGetValues {
  std::uint32_t id, pad;
  std::uint64_t values;
};
static_assert(sizeof(PerfmonGetValues) == 16);

struct PerfmonGetCounter {
  std::uint8_t counter;
  std::uint8_t name[64], category[32], description[256];  ///< texts that end with a zero byte
  std::uint8_t reserved[7];
};
static_assert(sizeof(PerfmonGetCounter) == 360);

}  // namespace sidecore::v3dsim::uapi
