// Reads a shader's declarations, and compares them with another shader's and with a device's
// limits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "qpu/program.h"

namespace sidecore::qpu {

struct DeviceInfo;
struct DeviceLimits;

/// Reads the declarations of a module. For a module that validate_spirv() rejects, the result may
/// be wrong. Throws Error (usage) in these cases:
/// - the words are not a SPIR-V module;
/// - there is not exactly one GLCompute entry point, named "main";
/// - there are more specialization constants than ShaderInterface has room for;
/// - declared sizes cannot be evaluated.
[[nodiscard]] ShaderInterface read_interface(std::span<const std::uint32_t> spirv,
                                             const Specialization& specialization);

/// Describes each difference between `shader` and the interface `host` that the host code expects,
/// and each constant that the host sets and the shader lacks. Empty if the host can use the shader.
[[nodiscard]] std::vector<std::string> find_interface_differences(
    const ShaderInterface& shader, const ShaderInterface& host,
    const Specialization& specialization);

/// Describes what the shader needs and the device, or sidecore on any device, does not offer.
[[nodiscard]] std::vector<std::string> find_missing_features(const DeviceInfo& device,
                                                             const DeviceLimits& limits,
                                                             const ShaderInterface& shader);

}  // namespace sidecore::qpu
