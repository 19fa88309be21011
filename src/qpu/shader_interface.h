// Reads what a shader declares, and compares it with another shader and with a device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "qpu/program.h"

namespace sidecore::qpu {

struct DeviceInfo;
struct DeviceLimits;

/// Reads a module. Throws Error (usage) when the words are no module, when it has not exactly one
/// GLCompute entry point "main", has more specialization constants than ShaderInterface has room
/// for, or declares sizes that cannot be evaluated. Of a module that is not valid
/// (validate_spirv()) the interface may be wrong.
[[nodiscard]] ShaderInterface read_interface(std::span<const std::uint32_t> spirv,
                                             const Specialization& specialization);

/// Each difference between `shader` and the one that the host was written for, in words, and each
/// constant that the host sets and the shader lacks; empty when the host can use it.
[[nodiscard]] std::vector<std::string> interface_drift(const ShaderInterface& shader,
                                                       const ShaderInterface& host,
                                                       const Specialization& specialization);

/// What the shader needs and the device, or the runner on any device, does not offer.
[[nodiscard]] std::vector<std::string> missing_for(const DeviceInfo& device,
                                                   const DeviceLimits& limits,
                                                   const ShaderInterface& shader);

}  // namespace sidecore::qpu
