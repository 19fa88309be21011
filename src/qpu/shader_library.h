// Sources of a program's SPIR-V: embedded shaders, or a directory of replacements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qpu/program.h"

namespace sidecore::qpu {

/// Returns the shaders that are compiled into the library. A generated file defines this function.
[[nodiscard]] std::span<const Shader> embedded_shaders();
/// Returns `shader` if it has its own SPIR-V, otherwise the embedded shader of its name. Throws
/// Error (usage) if there is neither.
[[nodiscard]] const Shader& resolve(const Shader& shader);
/// Returns the declarations of a shader that resolve() returned, with the values of these
/// specialization constants. Throws Error (usage), as read_interface() does. An embedded shader is
/// read again only if its sizes depend on the constants.
[[nodiscard]] ShaderInterface interface_of(const Shader& shader,
                                           const Specialization& specialization);

/// Returns the first error that SPIRV-Tools' validator for Vulkan 1.1 reports; nothing if the
/// module is valid.
[[nodiscard]] std::optional<std::string> validate_spirv(std::span<const std::uint32_t> words);

/// Directory in which NAME.spv replaces the shader NAME.
class ShaderDirectory {
 public:
  /// Checks the directory; an empty path replaces nothing. Throws Error (usage) if the path is not
  /// a directory or contains no NAME.spv of an embedded shader.
  explicit ShaderDirectory(std::filesystem::path directory);

  /// Returns the validated replacement, or nothing if there is none. Throws Error (usage) naming
  /// the file and its fault.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> find(std::string_view shader) const;
  [[nodiscard]] std::filesystem::path path_of(std::string_view shader) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace sidecore::qpu
