// A Vulkan compute device: found, judged, opened. No Vulkan header is needed to include this.
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

/// Limits that decide whether a shader runs. The names are Vulkan's.
struct DeviceLimits {
  std::uint32_t max_workgroup_invocations = 0;
  std::array<std::uint32_t, 3> max_workgroup_size{};
  std::array<std::uint32_t, 3> max_workgroup_count{};
  std::uint32_t max_shared_memory_bytes = 0;
  std::uint32_t max_storage_buffers = 0;  ///< per stage
  std::uint32_t max_push_constant_bytes = 0;
  std::uint64_t max_storage_buffer_range = 0;
  std::uint32_t min_storage_buffer_offset_alignment = 0;
};

/// What a V3D 4.2 and a V3D 7.1 both offer (Mesa v3dv 25.0.7): the floor every shader stays on.
[[nodiscard]] const DeviceLimits& v3d_limits();

/// Throws Error (environment) where a limit is none that Vulkan permits, as a broken driver may
/// tell: a count or size of 0, an alignment that is no power of two. `name` is the device's, for
/// the message.
void check_limits(const DeviceLimits& limits, const std::string& name);

struct DeviceInfo {
  std::size_t index = 0;  ///< position in list_devices(), what --device N means
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
  /// A subgroup is one thread of the hardware: its invocations do each instruction together, and
  /// after memoryBarrierBuffer() each reads what the others have stored, without a barrier. Known
  /// of V3D alone.
  bool lockstep_subgroups = false;
  DeviceLimits limits;
  bool storage_8bit = false;  ///< 8-bit loads and stores in storage buffers
  /// Buffers are device-local and host-visible at once, nothing is copied. False for discrete GPUs
  /// even when the host sees all of their memory: the bus still lies between.
  bool unified_memory = false;
  /// The memory that bytes() lies in is host-cached. V3D's is not: it is write-combined, so that
  /// the host writes it fast and reads it slowly.
  bool cached_memory = false;
  bool timestamps = false;      ///< the compute queue can write them
  double timestamp_period = 0;  ///< nanoseconds a tick

  /// The driver tells what became of a shader: Program::compiler_figures().
  bool compiler_figures = false;
  bool simulated = false;                ///< runs on the V3D simulator (scripts/v3dsim)
  std::size_t performance_counters = 0;  ///< that its compute queue offers
  std::string no_performance_counters;   ///< why there are none; empty when there are

  /// A CPU in a GPU's place (lavapipe, the simulator): proves correctness, never pay-off.
  [[nodiscard]] bool is_cpu() const { return type == DeviceType::cpu || simulated; }
};

/// All compute devices of all drivers, in the loader's order.
/// Throws Error (environment) when there is no Vulkan loader, no driver, or no device.
[[nodiscard]] std::vector<DeviceInfo> list_devices();

/// Picks by index ("0"), by type ("gpu" = integrated, discrete or virtual; "integrated",
/// "discrete", "virtual", "cpu"), or by a part of the name, case ignored. Empty: the environment
/// variable SIDECORE_DEVICE, else integrated before discrete before virtual before CPU. Throws
/// Error (environment) that lists what there is when nothing matches.
[[nodiscard]] const DeviceInfo& choose_device(std::span<const DeviceInfo> devices,
                                              const std::string& selector);

/// Why the shader cannot run on a device of these abilities, in words; empty when it can. Throws
/// Error (usage) when no shader of its name is embedded.
[[nodiscard]] std::vector<std::string> missing_for(const DeviceInfo& device, const Shader& shader);

/// A Vulkan device that somebody else opened, of whose queue the runner is one user. Its owner
/// keeps it, and the instance, until nothing is left of what was made from it: Device, buffers,
/// programs and lists. Handles are Vulkan's.
struct BorrowedDevice {
  /// vkGetInstanceProcAddr of the loader that the instance is of; null: that of VulkanLoader.
  void (*(*get_instance_proc_addr)(VkInstance_T*, const char*))() = nullptr;
  VkInstance_T* instance = nullptr;  ///< of Vulkan 1.1 or later, as its owner asked for it
  VkPhysicalDevice_T* physical_device = nullptr;
  VkDevice_T* device = nullptr;    ///< no feature or extension need be enabled, and none is used
  std::uint32_t queue_family = 0;  ///< with compute
  VkQueue_T* queue = nullptr;      ///< of that family
  /// Called before and after the runner gives the queue work, on the thread that does; empty: its
  /// owner does not use it meanwhile.
  std::function<void()> lock_queue;
  std::function<void()> unlock_queue;
};

struct DeviceOptions {
  std::string selector;  ///< see choose_device()
  /// Instead of a device that is opened. Then `selector` is not read, and validation, compiler
  /// figures and performance counters, which its owner would have had to enable, are refused with
  /// Error (usage).
  std::optional<BorrowedDevice> borrowed;
  /// Load the validation layer and turn its messages into errors. Throws Error (environment) when
  /// it is not installed. Default: the environment variable SIDECORE_VALIDATION=1.
  bool validation = false;
  /// Judge every program against v3d_limits() instead of the device's own, and open no feature that
  /// V3D lacks. Default: the environment variable SIDECORE_V3D_LIMITS=1.
  bool v3d_limits = false;
  /// A directory of NAME.spv files that replace embedded shaders of that name. Empty: none.
  /// Files are validated, and must declare what the shader in whose place they stand declares.
  std::filesystem::path shader_directory;
  /// Where pipeline caches live. Empty: $XDG_CACHE_HOME/sidecore or $HOME/.cache/sidecore; a
  /// directory that cannot be used costs compile time, never an error.
  std::filesystem::path cache_directory;
  bool pipeline_cache = true;
  /// Have the driver keep what Program::compiler_figures() tells.
  bool compiler_figures = false;
  /// Have every command list count, for Device::count(). Holds the driver's profiling lock as long
  /// as the device is open; drivers may run slower then, so time nothing on such a device. Throws
  /// Error (environment) where there are no counters, or the lock is refused.
  bool performance_counters = false;
  /// Treat unified memory as if it were not, so that staging can be tested anywhere. Default: the
  /// environment variable SIDECORE_FORCE_STAGING=1.
  bool force_staging = false;

  /// The defaults above, environment variables applied.
  [[nodiscard]] static DeviceOptions from_environment();
};

/// What a device did, for tests and reports. Counts since open().
struct DeviceCounters {
  std::uint64_t submits = 0;
  std::uint64_t dispatches = 0;        ///< recorded dispatches times their submits
  std::uint64_t barriers = 0;          ///< likewise
  std::uint64_t uploaded_bytes = 0;    ///< copied host -> device by staging; 0 on unified memory
  std::uint64_t downloaded_bytes = 0;  ///< copied device -> host by staging
  std::uint64_t pipelines_created = 0;
  Nanoseconds pipeline_creation{0};
  bool pipeline_cache_loaded = false;  ///< a valid cache file was found at open()
  /// Warnings and errors of the validation layer. Each also makes the next call of program(),
  /// finish(), submit() or wait() throw Error (environment) with its text; of a submission wait().
  std::uint64_t validation_messages = 0;
};

/// Waits for one submission. Copyable; waiting twice is fine.
class Ticket {
 public:
  Ticket() = default;
  /// Blocks until the submission's work, downloads included, is visible to the host.
  /// Throws Error (environment) on device loss or a time-out: 60 s, 900 s of a device that is a
  /// CPU.
  void wait();
  [[nodiscard]] bool done() const;
  /// GPU time between the list's first and last command, once wait() has returned; nothing when the
  /// device has no timestamps or the list was recorded without time_on_gpu().
  [[nodiscard]] std::optional<Nanoseconds> gpu_time() const;

  struct State;
  explicit Ticket(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

/// An open device with one compute queue. Not thread-safe: one thread calls it or records at a
/// time; what computes with it on a decoder's threads (DeviceBackEnd) has it
/// for itself alone. Tickets may be waited for on any thread. Buffers, programs and lists may
/// outlive it; what computes with it (scorers, filters) may not.
class Device {
 public:
  /// Throws Error (environment), or (usage) for what cannot be borrowed.
  [[nodiscard]] static std::unique_ptr<Device> open(const DeviceOptions& options);
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// info().limits, lowered to v3d_limits() when that was asked for. Every check is against these.
  [[nodiscard]] virtual const DeviceLimits& limits() const = 0;
  [[nodiscard]] virtual const DeviceCounters& counters() const = 0;

  /// Memory that shaders and the host see. Zeroed. See buffer.h. Throws Error (environment) when
  /// memory is short, (usage) when bytes is 0 or beyond max_storage_buffer_range.
  [[nodiscard]] virtual std::shared_ptr<Buffer> create_buffer(std::size_t bytes) = 0;
  /// Leaves `buffer` if it has at least `bytes`. Else it becomes another one, larger than asked
  /// for, so that what grows from picture to picture seldom does. Throws as create_buffer().
  void reserve(std::shared_ptr<Buffer>& buffer, std::size_t bytes) {
    if (buffer != nullptr && buffer->size() >= bytes) return;
    constexpr std::size_t kLeast = 4096;
    const std::size_t most = limits().max_storage_buffer_range;
    buffer = create_buffer(std::max({kLeast, bytes, std::min(std::bit_ceil(bytes), most)}));
  }

  /// The compiled shader; made once for each (shader, specialization) and kept.
  /// Throws Error (environment) naming what the device lacks, or (usage) for a bad replacement
  /// shader, or a name that is none.
  [[nodiscard]] virtual std::shared_ptr<Program> program(const Shader& shader,
                                                         const Specialization& specialization) = 0;

  /// Starts a command list. See command_list.h.
  [[nodiscard]] virtual std::unique_ptr<CommandList> create_command_list() = 0;

  /// Submits a finished list. A list may be submitted again once its last ticket is done (asserted
  /// by an Error otherwise); different lists may be in flight together.
  /// The order of submission is the order of data flow: a list sees what earlier lists wrote.
  /// When it throws, the device has not got the list.
  virtual Ticket submit(CommandList& list) = 0;

  /// The same device once more, with the same options but DeviceOptions::performance_counters.
  [[nodiscard]] virtual std::unique_ptr<Device> open_counting() const = 0;

  /// What a device that counts counts; empty for others.
  [[nodiscard]] virtual const CounterSet& counter_set() const = 0;

  /// Runs a finished list counter_set().passes times, `restore` before each, and returns what its
  /// commands made of the counters, in the set's order: of V3D sums over all QPUs, and over whoever
  /// else used the GPU meanwhile. Throws Error (usage) on a device that does not count, else as
  /// submit() and Ticket::wait() do.
  virtual std::vector<double> count(CommandList& list, const std::function<void()>& restore) = 0;

  /// Waits until nothing is in flight.
  virtual void wait_idle() = 0;
};

}  // namespace sidecore::qpu
