// The shaders of tests/shaders, compiled into test_qpu_runner.
#pragma once

#include "qpu/embedded_shaders.h"

namespace sidecore::qpu {

/// Defined in a generated file.
[[nodiscard]] std::span<const EmbeddedShader> test_shaders();

}  // namespace sidecore::qpu
