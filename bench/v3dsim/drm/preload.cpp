// This library is preloaded. It implements the four calls by which a Vulkan driver accesses a
// render node. mmap, fstat, dup and close need no hook, because the descriptor is a real memory
// file.

// The macro is undefined because fortified headers define open() themselves, by calling __open_2().
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "v3dsim/drm/device.h"
#include "v3dsim/drm/executor_runner.h"
#include "v3dsim/drm/executor_socket.h"
#include "v3dsim/drm/recording_runner.h"
#include "v3dsim/drm/records_interface.h"
#include "v3dsim/drm/shader_log.h"
#include "v3dsim/drm/stderr_tap.h"

namespace {

using namespace sidecore;

constexpr const char* kNode = "/dev/dri/renderD128";

// Returns the log, which is never destroyed, like the device below.
v3dsim::ShaderLog& shader_log() {
  static auto* const log = new v3dsim::ShaderLog;
  return *log;
}

v3dsim::RecordQueue& record_queue() {
  static auto* const records = new v3dsim::RecordQueue;
  return *records;
}

// Makes the driver compile, name and list its shaders, and hides its listing from a user who did
// not ask for it. Must be called before the driver is loaded, because the driver reads the
// variables once.
void listen_to_driver() {
  const char* const asked = std::getenv("V3D_DEBUG");
  const std::string flags = asked == nullptr ? "" : asked;
  const auto has = [&](std::string_view flag) { return flags.find(flag) != std::string::npos; };
  const bool figures = has("shaderdb");
  const bool code = has("qpu") || has("cs");
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  setenv("V3D_DEBUG", (flags + (flags.empty() ? "" : ",") + "shaderdb,qpu").c_str(), 1);
  v3dsim::tap_stderr({[](std::string_view start) { return shader_log().may_be_driver_line(start); },
                      [figures, code](std::string_view line) {
                        using Line = v3dsim::ShaderLog::Line;
                        const Line kind = shader_log().add(line);
                        return kind == Line::foreign || (kind == Line::figures ? figures : code);
                      }});
}

void listen_once() {
  static std::once_flag once;
  std::call_once(once, listen_to_driver);
}

// Listens from the start if a report is wanted, because the report names the shaders also of
// programs that do not use this library's interface.
__attribute__((constructor)) void listen_for_the_report() {
  const std::string name = std::string(v3dsim::kSettingsPrefix) + "STATISTICS";
  const char* const file = std::getenv(name.c_str());
  if (file != nullptr && *file != '\0') listen_once();
}

// Prints the error and returns the exit status. No exception may leave this library, because its
// callers are C code or exit().
int report(const std::exception& error) {
  fmt::print(stderr, "v3dsim: {}\n", error.what());
  const auto* const ours = dynamic_cast<const Error*>(&error);
  return ours != nullptr ? ours->exit_status() : static_cast<int>(ErrorKind::environment);
}

std::unique_ptr<v3dsim::Device> make_device(const v3dsim::Settings& settings,
                                            std::unique_ptr<v3dsim::AddressSpace> memory,
                                            std::unique_ptr<v3dsim::JobRunner> runner) {
  auto recorder =
      std::make_unique<v3dsim::RecordingRunner>(std::move(runner), shader_log(), record_queue());
  return std::make_unique<v3dsim::Device>(settings, std::move(memory), std::move(recorder));
}

std::unique_ptr<v3dsim::Device> make_device() {
  const v3dsim::Settings settings = v3dsim::settings_from_environment();
  auto memory = std::make_unique<v3dsim::AddressSpace>();
  if (settings.executor) {
    auto runner = std::make_unique<v3dsim::RemoteRunner>(*settings.executor, *memory);
    return make_device(settings, std::move(memory), std::move(runner));
  }
  auto runner = std::make_unique<v3dsim::ExecutorRunner>(settings);
  static const v3dsim::ExecutorRunner* reporter = nullptr;
  reporter = runner.get();
  std::atexit([] {
    try {
      reporter->write_report();
    } catch (const std::exception& error) {
      report(error);
    }
  });
  return make_device(settings, std::move(memory), std::move(runner));
}

// Returns the device. It is never destroyed, because the driver may close buffers in its own exit
// handler.
v3dsim::Device& device() {
  static v3dsim::Device* const instance = [] {
    try {
      return make_device().release();
    } catch (const std::exception& error) {
      std::_Exit(report(error));
    }
  }();
  return *instance;
}

// True after the first open of the node; before that no descriptor belongs to the device.
bool opened = false;

bool is_node(const char* path) {
  return path != nullptr && std::string_view(path) == kNode;
}

int open_node() {
  const int descriptor = device().memory().duplicate_descriptor();
  __atomic_store_n(&opened, true, __ATOMIC_RELEASE);
  return descriptor;
}

bool is_ours(int descriptor) {
  return __atomic_load_n(&opened, __ATOMIC_ACQUIRE) &&
         device().memory().owns_descriptor(descriptor);
}

bool is_merge_of_fences(int descriptor, unsigned long request) {
  return v3dsim::uapi::type_of(request) == v3dsim::uapi::kSyncFileType &&
         (request & 0xff) == v3dsim::uapi::kSyncFileMerge &&
         __atomic_load_n(&opened, __ATOMIC_ACQUIRE) && device().fence().owns(descriptor);
}

int merge_fences(v3dsim::uapi::SyncFileMerge& merge) {
  const v3dsim::PassedFence& fence = device().fence();
  if (!fence.owns(merge.other)) {
    errno = ENOENT;
    return -1;
  }
  merge.merged = fence.duplicate();
  return merge.merged < 0 ? -1 : 0;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Returns true if open() has a permission argument: only if it may create a file. O_TMPFILE
// contains O_DIRECTORY's bit.
constexpr bool has_mode(int flags) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}
static_assert(has_mode(O_WRONLY | O_CREAT) && has_mode(O_RDWR | O_TMPFILE));
static_assert(!has_mode(O_RDONLY | O_DIRECTORY));

mode_t mode_of(int flags, va_list arguments) {
  return has_mode(flags) ? va_arg(arguments, mode_t) : 0;
}

// libdrm's description of a device of a system on a chip.
struct DrmPlatformDevice {
  char** compatible;  ///< names in the device tree, ended by a null
};
struct DrmDevice {
  char** nodes;  ///< device nodes by kind: primary, control, render
  int available_nodes;
  int bus_type;
  void* bus_info;
  DrmPlatformDevice* device_info;
};
static_assert(sizeof(DrmDevice) == 32);

constexpr int kRenderNode = 2;
constexpr int kPlatformBus = 2;

struct OwnedDrmDevice : DrmDevice {
  std::array<char*, 3> node_list{};
  std::array<char, 32> path{};
  // Names by which drivers up to Mesa 22.3 identify the device.
  std::array<char*, 2> names{};
  std::array<char, 32> name{};
  DrmPlatformDevice platform{};
};

const char* name_in_device_tree() {
  try {
    const bool pi4 = v3dsim::settings_from_environment().version == v3dsim::Version::v42;
    return pi4 ? "brcm,2711-v3d" : "brcm,2712-v3d";
  } catch (const std::exception& error) {
    std::_Exit(report(error));
  }
}

}  // namespace

#define SIDECORE_HOOK extern "C" __attribute__((visibility("default")))

SIDECORE_HOOK int open(const char* path, int flags, ...) {
  if (is_node(path)) return open_node();
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static auto* const real = next<int(const char*, int, ...)>("open");
  return real(path, flags, mode);
}

SIDECORE_HOOK int open64(const char* path, int flags, ...) {
  if (is_node(path)) return open_node();
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static auto* const real = next<int(const char*, int, ...)>("open64");
  return real(path, flags, mode);
}

SIDECORE_HOOK int openat(int directory, const char* path, int flags, ...) {
  if (is_node(path)) return open_node();
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  static auto* const real = next<int(int, const char*, int, ...)>("openat");
  return real(directory, path, flags, mode);
}

// Functions that <fcntl.h> calls for open() in programs compiled with _FORTIFY_SOURCE; the names
// are glibc's. NOLINTBEGIN(bugprone-reserved-identifier)
SIDECORE_HOOK int __open_2(const char* path, int flags) {
  if (is_node(path)) return open_node();
  static auto* const real = next<int(const char*, int)>("__open_2");
  return real(path, flags);
}

SIDECORE_HOOK int __open64_2(const char* path, int flags) {
  if (is_node(path)) return open_node();
  static auto* const real = next<int(const char*, int)>("__open64_2");
  return real(path, flags);
}
// NOLINTEND(bugprone-reserved-identifier)

SIDECORE_HOOK int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (is_merge_of_fences(descriptor, request)) {
    return merge_fences(*static_cast<v3dsim::uapi::SyncFileMerge*>(argument));
  }
  if (v3dsim::uapi::type_of(request) != v3dsim::uapi::kDrmType || !is_ours(descriptor)) {
    static auto* const real = next<int(int, unsigned long, ...)>("ioctl");
    return real(descriptor, request, argument);
  }
  const int status = device().ioctl(request, argument);
  if (status >= 0) return status;
  errno = -status;
  return -1;
}

// Replaces libdrm's search, which would read /dev/dri and /sys.
SIDECORE_HOOK int drmGetDevices2(unsigned, DrmDevice** devices, int most) {
  if (devices == nullptr) return 1;
  if (most < 1) return 0;
  auto* found = new (std::nothrow) OwnedDrmDevice{};
  if (found == nullptr) return -ENOMEM;
  std::strncpy(found->path.data(), kNode, found->path.size() - 1);
  found->node_list[kRenderNode] = found->path.data();
  found->nodes = found->node_list.data();
  found->available_nodes = 1 << kRenderNode;
  found->bus_type = kPlatformBus;
  std::strncpy(found->name.data(), name_in_device_tree(), found->name.size() - 1);
  found->names[0] = found->name.data();
  found->platform.compatible = found->names.data();
  found->device_info = &found->platform;
  devices[0] = found;
  return 1;
}

SIDECORE_HOOK void drmFreeDevices(DrmDevice** devices, int count) {
  for (int i = 0; devices != nullptr && i < count; ++i) {
    delete static_cast<OwnedDrmDevice*>(devices[i]);
    devices[i] = nullptr;
  }
}

// Answers for the device's descriptor, which libdrm itself would see as a memory file. libva calls
// this function before it accepts a descriptor for a display.
SIDECORE_HOOK int drmGetNodeTypeFromFd(int descriptor) {
  if (is_ours(descriptor)) return kRenderNode;
  static auto* const real = next<int(int)>("drmGetNodeTypeFromFd");
  if (real != nullptr) return real(descriptor);
  errno = ENODEV;
  return -1;
}

SIDECORE_HOOK const char* sidecore_v3dsim_take_records() {
  static std::string text;
  try {
    listen_once();
    record_queue().start();
    text = record_queue().take();
  } catch (const std::exception& error) {
    std::_Exit(report(error));
  }
  return text.c_str();
}
static_assert(std::is_same_v<decltype(&sidecore_v3dsim_take_records), v3dsim::TakeRecords>);
