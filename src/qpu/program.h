// What the host must know of a shader, and the compiled shader itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sidecore::qpu {

/// What a shader does with a storage buffer; barriers follow from it.
enum class Access : std::uint8_t { read, write, read_write };

/// The host's view of a shader: set 0, storage buffers at bindings 0..n-1, one push-constant block.
/// It stands beside the shader's own declaration (shaders/NAME.interface.h) and is held against the
/// SPIR-V whenever a program is made: bindings, access, push-constant size, workgroup limits.
struct ProgramInterface {
  std::string_view shader;                ///< name of the embedded shader
  std::vector<Access> bindings = {};      ///< at most 8 on V3D
  std::uint32_t push_constant_bytes = 0;  ///< at most 128 on V3D
  bool needs_8bit_storage = false;
  /// The shader itself, for shaders that are not embedded; outlives the Program. Empty: look it up.
  std::span<const std::uint32_t> spirv = {};
};

/// Values of the shader's specialization constants, by constant_id; all 32-bit.
struct Specialization {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> constants;
  bool operator==(const Specialization&) const = default;
};

/// A figure of a compiled shader, under the driver's own name: "Instruction Count", "Thread Count".
struct CompilerFigure {
  std::string name;
  std::uint64_t value = 0;
};

/// A compute pipeline. Made by Device::program().
class Program {
 public:
  virtual ~Program() = default;
  [[nodiscard]] virtual const ProgramInterface& interface() const = 0;
  /// Workgroup size, specialization applied.
  [[nodiscard]] virtual std::array<std::uint32_t, 3> workgroup_size() const = 0;
  [[nodiscard]] virtual const Specialization& specialization() const = 0;
  /// What the driver's compiler says of the machine code (VK_KHR_pipeline_executable_properties):
  /// its integer figures. Empty unless DeviceOptions::compiler_figures, and where the driver has no
  /// such extension.
  [[nodiscard]] virtual std::vector<CompilerFigure> compiler_figures() const = 0;
};

}  // namespace sidecore::qpu
