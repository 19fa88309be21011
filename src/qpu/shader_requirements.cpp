// Compares a shader with the interface that the host code expects, and with a device's limits.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "qpu/device.h"
#include "qpu/shader_interface.h"
#include "qpu/shader_library.h"

namespace sidecore::qpu {
namespace {

std::string_view words_for(Access access) {
  switch (access) {
    case Access::read:
      return "read";
    case Access::write:
      return "written";
    case Access::none:
      return "not used";
    case Access::read_write:
      break;
  }
  return "read and written";
}

// SPIR-V capability numbers that sidecore's shaders may use.
enum Capability : std::uint32_t {
  kMatrix = 0,
  kShader = 1,
  kGroupNonUniform = 61,
  kStorageBuffer8BitAccess = 4448,
};

struct CapabilityName {
  std::uint32_t capability;
  std::string_view words;
};

// Capabilities that shaders from other projects often declare. Sidecore enables none of them on any
// device: V3D lacks each of them, or only V3D 7.1 has it.
constexpr CapabilityName kRefused[] = {
    {9, "16-bit floats (Float16)"},
    {10, "64-bit floats (Float64)"},
    {11, "64-bit integers (Int64)"},
    {12, "64-bit atomics (Int64Atomics)"},
    {22, "16-bit integers (Int16)"},
    {39, "8-bit integers (Int8)"},
    {62, "subgroup votes (GroupNonUniformVote)"},
    {63, "subgroup arithmetic (GroupNonUniformArithmetic)"},
    {64, "subgroup ballots (GroupNonUniformBallot)"},
    {65, "subgroup shuffles (GroupNonUniformShuffle)"},
    {66, "relative subgroup shuffles (GroupNonUniformShuffleRelative)"},
    {67, "clustered subgroup operations (GroupNonUniformClustered)"},
    {68, "subgroup quads (GroupNonUniformQuad)"},
    {4433, "16-bit storage (StorageBuffer16BitAccess)"},
    {4434, "16-bit storage (UniformAndStorageBuffer16BitAccess)"},
    {4435, "16-bit push constants (StoragePushConstant16)"},
    {4441, "variable pointers (VariablePointersStorageBuffer)"},
    {4442, "variable pointers (VariablePointers)"},
    {4449, "8-bit uniform buffers (UniformAndStorageBuffer8BitAccess)"},
    {4450, "8-bit push constants (StoragePushConstant8)"},
    {5345, "the Vulkan memory model (VulkanMemoryModel)"},
    {5347, "buffer addresses (PhysicalStorageBufferAddresses)"},
};

std::string refusal(std::uint32_t capability) {
  const auto* const known =
      std::find_if(std::begin(kRefused), std::end(kRefused),
                   [&](const CapabilityName& name) { return name.capability == capability; });
  const std::string what = known != std::end(kRefused)
                               ? std::string(known->words)
                               : fmt::format("SPIR-V capability {}", capability);
  return fmt::format("needs {}, which V3D 4.2 and 7.1 do not both offer", what);
}

void judge_workgroup(const DeviceLimits& limits, const ShaderInterface& shader,
                     std::vector<std::string>& missing) {
  std::uint64_t invocations = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::uint32_t size = shader.workgroup_size[axis];
    // The product stops growing once it is above every limit, so that it cannot overflow.
    if (invocations <= 0xffffffffU) invocations *= size;
    if (size == 0 || size > limits.max_workgroup_size[axis]) {
      missing.push_back(
          fmt::format("needs a workgroup {} invocations long in {}, but the device allows 1 to {}",
                      size, "xyz"[axis], limits.max_workgroup_size[axis]));
    }
  }
  if (invocations > limits.max_workgroup_invocations) {
    missing.push_back(fmt::format("needs {} invocations per workgroup, but the device allows {}",
                                  invocations, limits.max_workgroup_invocations));
  }
  if (shader.shared_memory_bytes > limits.max_shared_memory_bytes) {
    missing.push_back(fmt::format("needs {} bytes of shared memory, but the device has {}",
                                  shader.shared_memory_bytes, limits.max_shared_memory_bytes));
  }
}

Access access_at(const ShaderInterface& shader, std::size_t binding) {
  return binding < shader.bindings.size() ? shader.bindings[binding] : Access::none;
}

bool needs_8bit_storage(const ShaderInterface& shader) {
  return shader.capabilities.contains(kStorageBuffer8BitAccess);
}

}  // namespace

std::vector<std::string> find_interface_differences(const ShaderInterface& shader,
                                                    const ShaderInterface& host,
                                                    const Specialization& specialization) {
  std::vector<std::string> drift;
  for (const ForeignResource& resource : shader.foreign_resources) {
    drift.push_back(fmt::format("the shader uses {} at set {} binding {}",
                                resource.is_storage_buffer
                                    ? "a storage buffer"
                                    : "a resource that is not one storage buffer",
                                resource.set, resource.binding));
  }
  for (std::size_t binding = 0; binding < std::max(shader.bindings.size(), host.bindings.size());
       ++binding) {
    const Access by_shader = access_at(shader, binding);
    const Access by_host = access_at(host, binding);
    if (by_shader == by_host) continue;
    if (by_host == Access::none) {
      drift.push_back(fmt::format("the shader uses binding {}, but the host has {} bindings",
                                  binding, host.bindings.size()));
    } else if (by_shader == Access::none) {
      drift.push_back(
          fmt::format("the host has binding {}, but the shader does not use it", binding));
    } else {
      drift.push_back(fmt::format("binding {} is {} by the shader, but the host expects {}",
                                  binding, words_for(by_shader), words_for(by_host)));
    }
  }
  if (shader.push_constant_bytes != host.push_constant_bytes) {
    drift.push_back(fmt::format("the shader has {} bytes of push constants, but the host has {}",
                                shader.push_constant_bytes, host.push_constant_bytes));
  }
  if (needs_8bit_storage(shader) != needs_8bit_storage(host)) {
    drift.push_back(fmt::format("the shader {} 8-bit storage, but the host expects that it {}",
                                needs_8bit_storage(shader) ? "needs" : "does not need",
                                needs_8bit_storage(host) ? "does" : "does not"));
  }
  for (const auto& [id, value] : specialization.constants) {
    if (!shader.specialization_ids.contains(id)) {
      drift.push_back(fmt::format(
          "the host sets constant_id {} to {}, but the shader has no such constant", id, value));
    }
  }
  return drift;
}

std::vector<std::string> find_missing_features(const DeviceInfo& device, const DeviceLimits& limits,
                                               const ShaderInterface& shader) {
  std::vector<std::string> missing;
  for (const std::uint32_t capability : shader.capabilities) {
    switch (capability) {
      case kMatrix:
      case kShader:
      case kGroupNonUniform:
        break;
      case kStorageBuffer8BitAccess:
        if (!device.storage_8bit) {
          missing.emplace_back(
              "needs 8-bit storage (VK_KHR_8bit_storage), which this device lacks");
        }
        break;
      default:
        missing.push_back(refusal(capability));
    }
  }
  judge_workgroup(limits, shader, missing);
  if (shader.bindings.size() > limits.max_storage_buffers) {
    missing.push_back(fmt::format("needs {} storage buffers, but the device allows {}",
                                  shader.bindings.size(), limits.max_storage_buffers));
  }
  if (shader.push_constant_bytes > limits.max_push_constant_bytes) {
    missing.push_back(fmt::format("needs {} bytes of push constants, but the device allows {}",
                                  shader.push_constant_bytes, limits.max_push_constant_bytes));
  }
  return missing;
}

std::vector<std::string> find_missing_features(const DeviceInfo& device, const Shader& shader) {
  return find_missing_features(device, device.limits, interface_of(resolve(shader), {}));
}

}  // namespace sidecore::qpu
