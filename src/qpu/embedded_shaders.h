// The shaders that were compiled into the program.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sidecore::qpu {

struct EmbeddedShader {
  std::string_view name;  ///< source file's stem, e.g. "loop_filter_wave"
  std::span<const std::uint32_t> spirv;
};

/// All of them, in the build's order. Defined in a generated file.
[[nodiscard]] std::span<const EmbeddedShader> embedded_shaders();

}  // namespace sidecore::qpu
