// A Vulkan compute device: listed, checked against shaders' needs, opened. This header needs no
// Vulkan header.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "qpu/buffer.h"
#include "qpu/performance_counters.h"
#include "qpu/program.h"

struct VkInstance_T;
struct VkPhysicalDevice_T;
struct VkDevice_T;
struct VkQueue_T;

namespace sidecore::qpu {

class CommandList;

enum class DeviceType { other, integrated, discrete, virtual_gpu, cpu };
[[nodiscard]] const char* to_string(DeviceType type);

/// Limits that decide whether a shader can run. The names are Vulkan's.
struct DeviceLimits {
  std::uint32_t max_workgroup_invocations = 0;
  std::array<std::uint32_t, 3> max_workgroup_size{};
  std::array<std::uint32_t, 3> max_workgroup_count{};
  std::uint32_t max_shared_memory_bytes = 0;
  std::uint32_t max_storage_buffers = 0;  ///< number of storage buffers per shader stage
  std::uint32_t max_push_constant_bytes = 0;
  std::uint64_t max_storage_buffer_range = 0;
  std::uint32_t min_storage_buffer_offset_alignment = 0;
};

/// Returns the limits that both V3D 4.2 and V3D 7.1 offer (Mesa v3dv 25.0.7). Every shader of
/// sidecore stays within them.
[[nodiscard]] const DeviceLimits& v3d_limits();

/// Throws Error (environment) if a limit is a value that Vulkan forbids, as a broken driver may
/// report: a count or size of 0, or an alignment that is not a power of two. `name` is the device's
/// name, for the message.
void check_limits(const DeviceLimits& limits, const std::string& name);

struct DeviceInfo {
  std::size_t index = 0;  ///< position in list_devices(); --device takes this number
  std::string name;       ///< e.g. "V3D 7.1.7.0", "llvmpipe (LLVM 15.0.6, 256 bits)"
  DeviceType type = DeviceType::other;
  std::string driver;       ///< name and version text, e.g. "V3DV Mesa 25.0.7"
  std::string api_version;  ///< e.g. "1.3.305"
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::uint32_t driver_version = 0;
  std::array<std::uint8_t, 16> device_uuid{};
  std::array<std::uint8_t, 16> driver_uuid{};
  std::uint32_t subgroup_size = 0;
  /// True if a subgroup is one hardware thread. Its invocations then execute each instruction
  /// together, and after memoryBarrierBuffer() each reads the stores of the other invocations
  /// without a barrier. Set only for V3D.
  bool lockstep_subgroups = false;
  DeviceLimits limits;
  bool storage_8bit = false;  ///< the device supports 8-bit loads and stores in storage buffers
  /// True if buffers are both device-local and host-visible, so that nothing is copied. False for
  /// discrete GPUs, even when the host can map all of their memory: accesses still cross the bus.
  bool unified_memory = false;
  /// True if the memory behind bytes() is host-cached. V3D's memory is write-combined instead: the
  /// host writes it fast and reads it slowly.
  bool cached_memory = false;
  bool timestamps = false;      ///< the compute queue can write timestamps
  double timestamp_period = 0;  ///< nanoseconds per tick of a timestamp

  /// True if the driver reports figures of a compiled shader: Program::compiler_figures().
  bool compiler_figures = false;
  bool simulated = false;                ///< the device is the V3D simulator (scripts/v3dsim)
  std::size_t performance_counters = 0;  ///< number of counters that the compute queue offers
  /// Reason why there are no counters; empty if there are some.
  std::string no_performance_counters;

  /// Returns true for a substitute device: a CPU device (lavapipe) or the simulator. It proves
  /// correctness, never speed.
  [[nodiscard]] bool is_cpu() const { return type == DeviceType::cpu || simulated; }
};

/// Returns all compute devices of all drivers, in the loader's order. Throws Error (environment) if
/// there is no Vulkan loader, no driver or no device.
[[nodiscard]] std::vector<DeviceInfo> list_devices();

/// Chooses a device by index ("0"), by type ("gpu" means integrated, discrete or virtual; also
/// "integrated", "discrete", "virtual", "cpu"), or by a part of its name, ignoring case. If
/// `selector` is empty, reads the environment variable SIDECORE_DEVICE; without it, prefers
/// integrated, then discrete, then virtual, then CPU devices. Throws Error (environment) with the
/// list of devices if none matches.
[[nodiscard]] const DeviceInfo& choose_device(std::span<const DeviceInfo> devices,
                                              const std::string& selector);

/// Returns the reasons why the shader cannot run on such a device; empty if it can. Throws Error
/// (usage) if no embedded shader has its name.
[[nodiscard]] std::vector<std::string> find_missing_features(const DeviceInfo& device,
                                                             const Shader& shader);

/// Vulkan device that the caller opened; sidecore is only one user of its queue. The owner must
/// keep the device and its instance until everything made from them is destroyed: Device, buffers,
/// programs and lists. The handles are Vulkan's.
struct BorrowedDevice {
  /// The instance's vkGetInstanceProcAddr. If null, VulkanLoader's is used.
  void (*(*get_instance_proc_addr)(VkInstance_T*, const char*))() = nullptr;
  /// The instance must have been created for Vulkan 1.1 or later.
  VkInstance_T* instance = nullptr;
  VkPhysicalDevice_T* physical_device = nullptr;
  /// The device; sidecore needs no enabled feature or extension, and uses none.
  VkDevice_T* device = nullptr;
  std::uint32_t queue_family = 0;  ///< family of `queue`; must support compute
  VkQueue_T* queue = nullptr;      ///< a queue of the family `queue_family`
  /// Called before and after sidecore submits to the queue, on the submitting thread. If both are
  /// empty, the owner must not use the queue while sidecore does.
  std::function<void()> lock_queue;
  std::function<void()> unlock_queue;
};

struct DeviceOptions {
  std::string selector;  ///< text that selects the device, as described at choose_device()
  /// Device to use instead of opening one. `selector` is then ignored. Validation, compiler figures
  /// and performance counters then throw Error (usage), because the owner would have had to enable
  /// them.
  std::optional<BorrowedDevice> borrowed;
  /// Loads the validation layer and turns its messages into errors. Throws Error (environment) if
  /// the layer is not installed. Default: the environment variable SIDECORE_VALIDATION=1.
  bool validation = false;
  /// Checks every program against v3d_limits() instead of the device's own limits, and enables no
  /// feature that V3D lacks. Default: the environment variable SIDECORE_V3D_LIMITS=1.
  bool v3d_limits = false;
  /// Directory of NAME.spv files that replace the embedded shaders of those names. Empty: none.
  /// Each file is validated, and must have the same interface as the shader that it replaces.
  std::filesystem::path shader_directory;
  /// Directory of the pipeline caches. Empty: $XDG_CACHE_HOME/sidecore or $HOME/.cache/sidecore. An
  /// unusable directory costs compile time but is never an error.
  std::filesystem::path cache_directory;
  bool pipeline_cache = true;
  /// Makes the driver keep the figures that Program::compiler_figures() returns.
  bool compiler_figures = false;
  /// Makes every command list record performance counters, which Device::count() needs. Holds the
  /// driver's profiling lock as long as the device is open. Drivers may run slower then, so do not
  /// measure times on such a device. Throws Error (environment) if there are no counters or the
  /// lock is refused.
  bool performance_counters = false;
  /// Treats unified memory as separate memory, so that staging can be tested on any device.
  /// Default: the environment variable SIDECORE_FORCE_STAGING=1.
  bool force_staging = false;

  /// Returns default options, changed by the environment variables SIDECORE_VALIDATION,
  /// SIDECORE_V3D_LIMITS and SIDECORE_FORCE_STAGING.
  [[nodiscard]] static DeviceOptions from_environment();
};

/// Work that a device has done since open(), for tests and reports.
struct DeviceCounters {
  std::uint64_t submits = 0;
  /// Dispatches executed: those of a list, for each submission of the list.
  std::uint64_t dispatches = 0;
  /// Barriers executed: those of a list, for each submission of the list.
  std::uint64_t barriers = 0;
  /// Bytes copied from host to device by staging; 0 on unified memory.
  std::uint64_t uploaded_bytes = 0;
  /// Bytes copied from device to host by staging; 0 on unified memory.
  std::uint64_t downloaded_bytes = 0;
  [[nodiscard]] std::uint64_t copied_bytes() const { return uploaded_bytes + downloaded_bytes; }
  std::uint64_t pipelines_created = 0;
  Nanoseconds pipeline_creation{0};
  bool pipeline_cache_loaded = false;  ///< true if open() found a valid cache file
  /// Number of warnings and errors of the validation layer. Each also makes the next program(),
  /// finish(), submit() or wait() throw Error (environment) with its text; one raised by a
  /// submission makes that submission's wait() throw.
  std::uint64_t validation_messages = 0;
};

/// Handle of one submission, to wait for it. It can be copied and waited for more than once.
class Ticket {
 public:
  Ticket() = default;
  /// Blocks until the submission's work, downloads included, is visible to the host. Throws Error
  /// (environment) on device loss or a time-out: 60 s, or 900 s on a substitute device
  /// (DeviceInfo::is_cpu()).
  void wait();
  [[nodiscard]] bool done() const;
  /// Returns the GPU time between the list's first and last command, after wait() has returned.
  /// Returns nothing if the device has no timestamps or the list was recorded without
  /// time_on_gpu().
  [[nodiscard]] std::optional<Nanoseconds> gpu_time() const;

  struct State;
  explicit Ticket(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

/// An open device with one compute queue. It is not thread-safe: only one thread may call it or
/// record at a time. A DeviceBackEnd uses it on a decoder's threads, so nothing else may use it
/// meanwhile. Any thread may wait for tickets. Buffers, programs and lists may outlive the device;
/// objects that compute with it (scorers, filters) must not.
class Device {
 public:
  /// Opens or borrows a device. Throws Error (environment), or Error (usage) for a device that
  /// cannot be borrowed.
  [[nodiscard]] static std::unique_ptr<Device> open(const DeviceOptions& options);
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// Returns info().limits, lowered to v3d_limits() with DeviceOptions::v3d_limits. All checks use
  /// these limits.
  [[nodiscard]] virtual const DeviceLimits& limits() const = 0;
  [[nodiscard]] virtual const DeviceCounters& counters() const = 0;

  /// Allocates memory that shaders and the host access (buffer.h), filled with zeros. Throws Error
  /// (environment) if memory is short or `bytes` is above max_storage_buffer_range, Error (usage)
  /// if `bytes` is 0.
  [[nodiscard]] virtual std::shared_ptr<Buffer> create_buffer(std::size_t bytes) = 0;
  /// Ensures that `buffer` has at least `bytes` bytes. If it is too small, replaces it by a larger
  /// buffer without copying its contents. The new size is rounded up, so that a buffer that grows
  /// from picture to picture is seldom replaced. Throws the same errors as create_buffer().
  void reserve(std::shared_ptr<Buffer>& buffer, std::size_t bytes) {
    if (buffer != nullptr && buffer->size() >= bytes) return;
    constexpr std::size_t kMin = 4096;
    const std::size_t most = limits().max_storage_buffer_range;
    buffer = create_buffer(std::max({kMin, bytes, std::min(std::bit_ceil(bytes), most)}));
  }

  /// Returns the compiled shader, which is made once per shader and specialization and kept. Throws
  /// Error (environment) naming what the device lacks, or Error (usage) for a bad replacement
  /// shader or an unknown name.
  [[nodiscard]] virtual std::shared_ptr<Program> program(const Shader& shader,
                                                         const Specialization& specialization) = 0;

  /// Creates an empty command list (command_list.h).
  [[nodiscard]] virtual std::unique_ptr<CommandList> create_command_list() = 0;

  /// Submits a finished list. A list may be submitted again after its last ticket is done;
  /// otherwise submit() throws an Error. Different lists may be in flight together. Lists take
  /// effect in the order of submission: a list sees what earlier lists wrote. If submit() throws,
  /// the device has not received the list.
  virtual Ticket submit(CommandList& list) = 0;

  /// Opens this device a second time, with the same options and
  /// DeviceOptions::performance_counters.
  [[nodiscard]] virtual std::unique_ptr<Device> open_with_counters() const = 0;

  /// Returns the device's performance counters; empty unless it was opened with
  /// DeviceOptions::performance_counters.
  [[nodiscard]] virtual const CounterSet& counter_set() const = 0;

  /// Runs a finished list counter_set().passes times and calls `restore` before each run. Returns
  /// what its commands added to each counter, in the set's order. V3D's values are sums over all
  /// QPUs, and include work of other processes that used the GPU meanwhile. Throws Error (usage) on
  /// a device without counter_set(), otherwise as submit() and Ticket::wait().
  virtual std::vector<double> count(CommandList& list, const std::function<void()>& restore) = 0;

  /// Waits until no submission is in flight.
  virtual void wait_idle() = 0;
};

}  // namespace sidecore::qpu
