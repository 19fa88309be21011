// Where a program's SPIR-V comes from: the build, or a directory of replacements.
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

/// The shaders that were compiled into the library. Defined in a generated file.
[[nodiscard]] std::span<const Shader> embedded_shaders();
/// The shader if it has SPIR-V of its own, else the embedded shader of its name. Throws Error
/// (usage) when there is neither.
[[nodiscard]] const Shader& resolve(const Shader& shader);
/// What a shader that resolve() returned declares with these constants. Throws Error (usage) as
/// read_interface() does; an embedded shader's sizes alone are read again, where they depend on the
/// constants.
[[nodiscard]] ShaderInterface interface_of(const Shader& shader,
                                           const Specialization& specialization);

/// First complaint of SPIRV-Tools' validator for Vulkan 1.1; nothing when the module is valid.
[[nodiscard]] std::optional<std::string> validate_spirv(std::span<const std::uint32_t> words);

/// A directory whose NAME.spv replaces the shader NAME.
class ShaderDirectory {
 public:
  /// An empty path replaces nothing. Throws Error (usage) when the path is not a directory, or
  /// holds no NAME.spv of an embedded shader.
  explicit ShaderDirectory(std::filesystem::path directory);

  /// The validated replacement, or nothing when there is none. Throws Error (usage) naming the file
  /// and what is wrong with it.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> find(std::string_view shader) const;
  [[nodiscard]] std::filesystem::path path_of(std::string_view shader) const;

 private:
  std::filesystem::path directory_;
};

}  // namespace sidecore::qpu
