// The former name of shader_library.h.
#pragma once

#include "qpu/shader_library.h"

namespace sidecore::qpu {
using EmbeddedShader = Shader;
}  // namespace sidecore::qpu
