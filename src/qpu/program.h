// Compute shaders and the programs made of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sidecore::qpu {

/// How a shader accesses a storage buffer. The runner derives its barriers from this.
enum class Access : std::uint8_t { none, read, write, read_write };

/// A list of at most `kMost` elements. It has no other memory, so that it can be a constant of the
/// build.
template <class T, std::size_t kMost>
class ShortList {
 public:
  constexpr ShortList() = default;
  constexpr ShortList(std::initializer_list<T> elements) {
    for (const T& element : elements) push_back(element);
  }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] static constexpr std::size_t capacity() { return kMost; }
  [[nodiscard]] constexpr bool full() const { return size_ == kMost; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return elements_[i]; }
  [[nodiscard]] constexpr T& operator[](std::size_t i) { return elements_[i]; }
  [[nodiscard]] constexpr const T* begin() const { return elements_.data(); }
  [[nodiscard]] constexpr const T* end() const { return elements_.data() + size_; }
  [[nodiscard]] constexpr T* begin() { return elements_.data(); }
  [[nodiscard]] constexpr T* end() { return elements_.data() + size_; }
  /// Unless full().
  constexpr void push_back(const T& element) { elements_.at(size_++) = element; }
  /// Unless empty().
  constexpr void pop_back() { elements_[--size_] = {}; }
  [[nodiscard]] constexpr bool contains(const T& element) const {
    return std::find(begin(), end(), element) != end();
  }
  constexpr bool operator==(const ShortList&) const = default;

 private:
  std::array<T, kMost> elements_{};
  std::size_t size_ = 0;
};

/// A resource that the runner cannot bind: anything but a storage buffer of set 0 with a binding
/// that ShaderInterface::bindings has room for.
struct ForeignResource {
  std::uint32_t set = 0;
  std::uint32_t binding = 0;
  bool is_storage_buffer = false;
  constexpr bool operator==(const ForeignResource&) const = default;
};

/// What a shader declares, read from its SPIR-V: nothing of it is written again for the host.
/// Sizes are in bytes. The build reads it of the embedded shaders, as constants.
struct ShaderInterface {
  ShortList<Access, 32> bindings;         ///< of the storage buffers of set 0; at most 8 on V3D
  std::uint32_t push_constant_bytes = 0;  ///< up to the last member's end; at most 128 on V3D
  std::array<std::uint32_t, 3> workgroup_size{1, 1, 1};
  std::uint64_t shared_memory_bytes = 0;  ///< at most 2^31, which stands for all that is more
  /// SPIR-V's numbers of what the shader needs. V3D has four: of more than 16 some are missing
  /// here.
  ShortList<std::uint32_t, 16> capabilities;
  ShortList<std::uint32_t, 16> specialization_ids;  ///< ascending
  ShortList<ForeignResource, 4> foreign_resources;  ///< the first of them
  /// Specialization can change one of these sizes.
  bool sizes_are_specialized = false;
  constexpr bool operator==(const ShaderInterface&) const = default;
};

/// A compute shader: one of those compiled into the library, which its name stands for, or another.
struct Shader {
  // NOLINTNEXTLINE(google-explicit-constructor): a name is all that most callers have to say.
  constexpr Shader(const char* embedded) : name(embedded) {}
  constexpr Shader(std::string_view own_name, std::span<const std::uint32_t> own_spirv,
                   const ShaderInterface* own_interface = nullptr)
      : name(own_name), spirv(own_spirv), interface(own_interface) {}

  std::string_view name;  ///< its source file's stem, e.g. "ssim_rows"
  /// A valid module that outlives the programs made of it. Empty: the embedded shader's.
  std::span<const std::uint32_t> spirv;
  /// The declarations of `spirv`, without specialization. A null pointer has them read from the
  /// SPIR-V whenever a program is made of the shader.
  const ShaderInterface* interface = nullptr;
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
