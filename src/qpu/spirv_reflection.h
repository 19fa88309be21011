// What a compute shader's SPIR-V says about itself, and where that differs from the host's view.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "qpu/device.h"
#include "qpu/program.h"

namespace sidecore::qpu {

struct ReflectedBinding {
  std::uint32_t binding = 0;
  Access access = Access::read_write;
};

/// Sizes are in bytes; specialization is applied to all of them.
struct SpirvReflection {
  std::vector<ReflectedBinding> bindings;  ///< storage buffers of set 0, ascending, each once
  std::uint64_t push_constant_bytes = 0;   ///< end of the last member, without trailing padding
  std::array<std::uint32_t, 3> local_size{1, 1, 1};
  std::uint64_t shared_memory_bytes = 0;
  std::vector<std::uint32_t> capabilities;
  std::vector<std::uint32_t> specialization_ids;
  std::vector<std::string> foreign_resources;  ///< in words: what is not a storage buffer of set 0
};

/// Reads a valid module (validate_spirv()). Throws Error (usage) when it has not exactly one
/// GLCompute entry point "main", or declares what cannot be evaluated.
[[nodiscard]] SpirvReflection reflect_spirv(std::span<const std::uint32_t> words,
                                            const Specialization& specialization);

/// Each difference between the shader and the host's view of it, in words; empty when they agree.
[[nodiscard]] std::vector<std::string> interface_drift(const SpirvReflection& shader,
                                                       const ProgramInterface& host,
                                                       const Specialization& specialization);

/// What the shader needs and the device, or the runner on any device, does not offer.
[[nodiscard]] std::vector<std::string> missing_for(const DeviceInfo& device,
                                                   const DeviceLimits& limits,
                                                   const SpirvReflection& shader);

}  // namespace sidecore::qpu
