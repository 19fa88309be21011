// Compute shaders and the programs made of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sidecore::qpu {

/// A compute shader: one of those compiled into the library, which its name stands for, or another.
struct Shader {
  // NOLINTNEXTLINE(google-explicit-constructor): a name is all that most callers have to say.
  constexpr Shader(const char* embedded) : name(embedded) {}
  constexpr Shader(std::string_view own_name, std::span<const std::uint32_t> own_spirv)
      : name(own_name), spirv(own_spirv) {}

  std::string_view name;  ///< its source file's stem, e.g. "ssim_rows"
  /// A valid module that outlives the programs made of it. Empty: the embedded shader's.
  std::span<const std::uint32_t> spirv;
};

/// What a shader does with a storage buffer; barriers follow from it.
enum class Access : std::uint8_t { none, read, write, read_write };

/// What a shader declares, read from its SPIR-V: nothing of it is written again for the host.
/// Specialization is applied; sizes are in bytes.
struct ShaderInterface {
  std::vector<Access> bindings;           ///< of the storage buffers of set 0; at most 8 on V3D
  std::uint32_t push_constant_bytes = 0;  ///< up to the last member's end; at most 128 on V3D
  std::array<std::uint32_t, 3> workgroup_size{1, 1, 1};
  std::uint64_t shared_memory_bytes = 0;
  std::vector<std::uint32_t> capabilities;        ///< SPIR-V's numbers of what the shader needs
  std::vector<std::uint32_t> specialization_ids;  ///< ascending
  std::vector<std::string> foreign_resources;     ///< in words: what is no storage buffer of set 0
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
  [[nodiscard]] virtual std::string_view name() const = 0;  ///< the shader's
  [[nodiscard]] virtual const ShaderInterface& interface() const = 0;
  [[nodiscard]] virtual const Specialization& specialization() const = 0;
  /// What the driver's compiler says of the machine code (VK_KHR_pipeline_executable_properties):
  /// its integer figures. Empty unless DeviceOptions::compiler_figures, and where the driver has no
  /// such extension.
  [[nodiscard]] virtual std::vector<CompilerFigure> compiler_figures() const = 0;

  [[nodiscard]] const std::array<std::uint32_t, 3>& workgroup_size() const {
    return interface().workgroup_size;
  }
};

}  // namespace sidecore::qpu
