// Shaders of tests/shaders, compiled into test_qpu_runner.
#pragma once

#include "qpu/shader_library.h"

namespace sidecore::qpu {

/// Returns the test shaders. A generated file defines this function.
[[nodiscard]] std::span<const Shader> test_shaders();

}  // namespace sidecore::qpu
