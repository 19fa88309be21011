// Chooses the device that the user named, and reads the environment variables for opening it.
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"
#include "qpu/device.h"

namespace sidecore::qpu {
namespace {

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? "" : value;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

int rank(DeviceType type) {
  switch (type) {
    case DeviceType::integrated:
      return 0;
    case DeviceType::discrete:
      return 1;
    case DeviceType::virtual_gpu:
      return 2;
    case DeviceType::other:
      return 3;
    case DeviceType::cpu:
      break;
  }
  return 4;
}

bool is_type_selector(const std::string& selector) {
  return selector == "gpu" || selector == "integrated" || selector == "discrete" ||
         selector == "virtual" || selector == "cpu";
}

bool matches(const DeviceInfo& device, const std::string& selector) {
  if (is_number(selector)) return std::to_string(device.index) == selector;
  if (selector == "gpu") return rank(device.type) < rank(DeviceType::other);
  if (is_type_selector(selector)) return selector == to_string(device.type);
  return lower(device.name).find(selector) != std::string::npos;
}

}  // namespace

const char* to_string(DeviceType type) {
  switch (type) {
    case DeviceType::integrated:
      return "integrated";
    case DeviceType::discrete:
      return "discrete";
    case DeviceType::virtual_gpu:
      return "virtual";
    case DeviceType::cpu:
      return "cpu";
    case DeviceType::other:
      break;
  }
  return "other";
}

const DeviceLimits& v3d_limits() {
  static const DeviceLimits limits{
      .max_workgroup_invocations = 256,
      .max_workgroup_size = {256, 256, 256},
      .max_workgroup_count = {65535, 65535, 65535},
      .max_shared_memory_bytes = 16384,
      .max_storage_buffers = 8,
      .max_push_constant_bytes = 128,
      .max_storage_buffer_range = std::uint64_t{1} << 30U,
      .min_storage_buffer_offset_alignment = 32,
  };
  return limits;
}

void check_limits(const DeviceLimits& limits, const std::string& name) {
  const auto require = [&](bool holds, const char* limit) {
    if (holds) return;
    throw environment_error("the driver of {} claims a limit that Vulkan forbids: {}", name, limit);
  };
  require(limits.max_workgroup_invocations > 0, "0 invocations per workgroup");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    require(limits.max_workgroup_size[axis] > 0, "workgroups of size 0");
    require(limits.max_workgroup_count[axis] > 0, "0 workgroups per dispatch");
  }
  require(limits.max_shared_memory_bytes > 0, "no shared memory");
  require(limits.max_storage_buffers > 0, "0 storage buffers");
  require(limits.max_push_constant_bytes > 0, "0 bytes of push constants");
  require(limits.max_storage_buffer_range > 0, "storage buffers of 0 bytes");
  require(std::has_single_bit(limits.min_storage_buffer_offset_alignment),
          "an offset alignment of storage buffers that is not a power of two");
}

const DeviceInfo& choose_device(std::span<const DeviceInfo> devices, const std::string& selector) {
  const std::string asked = selector.empty() ? environment("SIDECORE_DEVICE") : selector;
  const std::string wanted = lower(asked);
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : devices) {
    if (!wanted.empty() && !matches(device, wanted)) continue;
    if (best == nullptr || rank(device.type) < rank(best->type)) best = &device;
  }
  if (best != nullptr) return *best;
  std::string present;
  for (const DeviceInfo& device : devices) {
    present += fmt::format("{}{}: {} ({})", present.empty() ? "" : ", ", device.index, device.name,
                           to_string(device.type));
  }
  throw environment_error("no device matches '{}'{}; there is {}", printable(asked),
                          selector.empty() ? " (SIDECORE_DEVICE)" : "",
                          present.empty() ? "none" : present);
}

DeviceOptions DeviceOptions::from_environment() {
  DeviceOptions options;
  options.validation = environment("SIDECORE_VALIDATION") == "1";
  options.v3d_limits = environment("SIDECORE_V3D_LIMITS") == "1";
  options.force_staging = environment("SIDECORE_FORCE_STAGING") == "1";
  return options;
}

}  // namespace sidecore::qpu
